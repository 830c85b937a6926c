print("kibod")
