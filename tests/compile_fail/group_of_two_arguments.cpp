// error: no matching (function for call|conversion|constructor)
#include <tutti/tutti.h>

int main() { tutti::Group({0, 1}, {2, 3}); }  // a partition? a list and its tag?
