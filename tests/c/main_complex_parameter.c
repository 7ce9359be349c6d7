// A main that is called with what is not supported.
//
// run:
// expect: all=UNKNOWN

int main(_Complex float argc, char **argv) { return 0; }
