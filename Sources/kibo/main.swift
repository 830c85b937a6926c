import Glibc

exit(Kibo.main())
