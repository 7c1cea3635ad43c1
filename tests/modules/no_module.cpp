// A shared library that is no module.
extern "C" int n2d2_test_no_module();
int n2d2_test_no_module() {
  return 1;
}
