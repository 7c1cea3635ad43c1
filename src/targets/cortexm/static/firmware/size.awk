# Prints flash and RAM of a program that link.ld placed, from the output of size -A.
# Part of an exported project; may be used without condition.
{ bytes[$1] = $2 }
END {
  code = bytes[".nn_code"]; parameters = bytes[".nn_parameters"]
  print "network, as linked"
  printf "  code                  %8d bytes of flash\n", code
  printf "  parameters            %8d bytes of flash\n", parameters
  printf "  arena                 %8d bytes of RAM\n", bytes[".nn_memory"]
  print "rest of the self test"
  printf "  sample                %8d bytes of flash\n", bytes[".nn_self_test"]
  printf "  startup, test, library%8d bytes of flash\n", bytes[".vectors"] + bytes[".text"] + bytes[".data"]
  printf "  variables             %8d bytes of RAM\n", bytes[".data"] + bytes[".bss"]
  printf "  stack                 %8d bytes of RAM\n", bytes[".stack"]
}
