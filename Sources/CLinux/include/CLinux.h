// What Glibc's Swift overlay lacks: variadic calls, macros and Linux-only headers. There is one header per topic.
//
// No _GNU_SOURCE here: it changes structs that the overlay has already compiled. What needs it lives in a .c file.
#ifndef KIBO_CLINUX_H
#define KIBO_CLINUX_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "Files.h"
#include "Signals.h"
#include "Sockets.h"
#include "Spawn.h"
#include "Supervise.h"
#include "Thread.h"

#endif
