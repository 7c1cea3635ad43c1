# Options of the compiler for each core: CORE_<core>; and the board that the emulator has for it: BOARD_<core>. The toolchain
# file of CMake reads this file, too. Part of an exported project; may be used without condition.
CORE_m0 := -mcpu=cortex-m0 -mthumb -mfloat-abi=soft
CORE_m0plus := -mcpu=cortex-m0plus -mthumb -mfloat-abi=soft
CORE_m3 := -mcpu=cortex-m3 -mthumb -mfloat-abi=soft
CORE_m4 := -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard
CORE_m7 := -mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard
CORE_m23 := -mcpu=cortex-m23 -mthumb -mfloat-abi=soft
CORE_m33 := -mcpu=cortex-m33 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard
CORE_m33+nodsp := -mcpu=cortex-m33+nodsp -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard
CORE_m55 := -mcpu=cortex-m55 -mthumb -mfloat-abi=hard
CORE_m55+nomve := -mcpu=cortex-m55+nomve -mthumb -mfloat-abi=hard
CORE_m85 := -march=armv8.1-m.main+dsp+mve.fp+fp.dp -mthumb -mfloat-abi=hard
CORE_m85+nomve := -march=armv8.1-m.main+dsp+fp.dp -mthumb -mfloat-abi=hard

# Their code runs on larger cores, too: the emulator's only board of a Cortex-M0 has 16 KB of RAM.
BOARD_m0 := mps2-an385
BOARD_m0plus := mps2-an385
BOARD_m3 := mps2-an385
BOARD_m4 := mps2-an386
BOARD_m7 := mps2-an500
BOARD_m23 := mps2-an505
BOARD_m33 := mps2-an505
BOARD_m33+nodsp := mps2-an505
BOARD_m55 := mps3-an547
BOARD_m55+nomve := mps3-an547
BOARD_m85 := mps3-an547
BOARD_m85+nomve := mps3-an547

# Picoseconds of a tick of SysTick on the emulator's boards.
TICK_microbit := 62500
TICK_mps2-an385 := 40000
TICK_mps2-an386 := 40000
TICK_mps2-an500 := 40000
TICK_mps2-an505 := 50000
TICK_mps3-an547 := 31250
