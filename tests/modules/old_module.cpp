// A module that was built for headers of another time.
extern "C" const char* n2d2_module_interface();
const char* n2d2_module_interface() {
  return "0.0.1-0123456789ab";
}
