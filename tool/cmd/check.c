#include "options.h"
static int run(int argc,char**argv){(void)argc;(void)argv;return 0;}
static const struct tr2_option options[] = { TR2_OPT_END };
const struct tr2_command tr2_command_check={.name="check",.synopsis="",.summary="x",.options=options,.run=run};
