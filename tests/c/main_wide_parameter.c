// A main that is called with what is not supported.
//
// run:
// expect: all=UNKNOWN

int main(__int128 argc, char **argv) { return 0; }
