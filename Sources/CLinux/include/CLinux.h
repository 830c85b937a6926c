// What Glibc's Swift overlay lacks: calls that are variadic, macros, or Linux-only headers.
#ifndef KIBO_CLINUX_H
#define KIBO_CLINUX_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "Files.h"

#endif
