print("kibo")
