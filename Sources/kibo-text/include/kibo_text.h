// The library's one name for others.
#ifndef KIBO_TEXT_LIBRARY_H
#define KIBO_TEXT_LIBRARY_H

#include "CText.h"

#ifdef __cplusplus
extern "C"
#endif
    const kibo_text_library kibo_text_functions;

#endif
