#include "command_line/options.hpp"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"

#include "command_line/option_table.hpp"

namespace n2d2::app {
namespace {

std::string errors(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(Options, HaveTheDefaultsOfTheSpecification) {
  const Options o = parse({"m.ini"}).options;
  EXPECT_EQ(o.model, "m.ini");
  EXPECT_EQ(o.seed, 0);
  EXPECT_EQ(o.log, 1000);
  EXPECT_EQ(o.log_epoch, 1);
  EXPECT_EQ(o.report, 1);
  EXPECT_EQ(o.nb_test, -1);
  EXPECT_EQ(o.window, 10000);
  EXPECT_EQ(o.nb_bits, 8);
  EXPECT_EQ(o.calib, 0);
  EXPECT_EQ(o.db_export, 100);
  EXPECT_EQ(o.activation_clipping, "MSE");
  EXPECT_EQ(o.rescaling, "Floating-point");
  EXPECT_EQ(o.rescale_per_output, 1);
  EXPECT_EQ(o.valid_metric, data::Metric::Sensitivity);
  EXPECT_FALSE(o.learns());
  EXPECT_FALSE(o.exports());
}

TEST(Options, TakeTheNetworkFileAnywhereAndValuesVerbatim) {
  const Options o =
      parse({"-export", "CPP", "-calib", "-1", "M.INI", "-nbbits", "-32", "-w", "-dir"}).options;
  EXPECT_EQ(o.model, "M.INI");
  EXPECT_EQ(o.calib, -1);
  EXPECT_EQ(o.nb_bits, -32);
  EXPECT_EQ(o.weights, "-dir");
  EXPECT_FALSE(o.is_integer());
}

TEST(Options, AcceptThousandsAndReals) {
  EXPECT_EQ(parse({"m.ini", "-learn", "6,000,000"}).options.learn, 6000000);
  EXPECT_EQ(parse({"m.ini", "-learn", "1e3"}).options.learn, 1000);
}

TEST(Options, RefuseFractionsAndWhatDoesNotFit) {
  EXPECT_EQ(errors({"m.ini", "-seed", "1.5"}), "option -seed: expected an integer >= 0, got '1.5'");
  EXPECT_EQ(errors({"m.ini", "-seed", "-5"}), "option -seed: expected an integer >= 0, got '-5'");
  EXPECT_EQ(errors({"m.ini", "-seed", "7\n8"}), "option -seed: expected an integer, got '7\n8'");
  EXPECT_EQ(errors({"m.ini", "-seed="}), "option -seed: expected an integer, got ''");
  EXPECT_EQ(errors({"m.ini", "-learn", "99999999999999999999"}),
            "option -learn: expected an integer >= 0 and <= 9223372036854775807, got '99999999999999999999'");
  EXPECT_EQ(errors({"m.ini", "-export", "CPP", "-calib", "5", "-max-drop", "-1"}),
            "option -max-drop: expected points from 0 to 100, got '-1'");
  EXPECT_EQ(errors({"m.ini", "-export", "CPP", "-calib", "5", "-min-accuracy", "90"}),
            "option -min-accuracy: expected a share from 0 to 1, got '90'\n  hint: '-min-accuracy 0.9' asks "
            "for 90 %");
  EXPECT_EQ(errors({"m.ini", "-act-quantile-value", "most"}),
            "option -act-quantile-value: expected a number, got 'most'");
}

TEST(Options, MayHaveTwoDashesAndAnEqualSign) {
  const Options o = parse({"--seed=3", "-w=a=b", "--test", "m.ini", "-calib=-1", "--export", "CPP"}).options;
  EXPECT_EQ(o.seed, 3);
  EXPECT_EQ(o.weights, "a=b");
  EXPECT_TRUE(o.test);
  EXPECT_EQ(o.calib, -1);
  EXPECT_EQ(o.export_type, "CPP");
  EXPECT_EQ(o.model, "m.ini");
  for (const char* help : {"-h", "--h", "-help", "--help"}) EXPECT_TRUE(parse({help}).options.help) << help;
  for (const char* version : {"-v", "-version", "--version"})
    EXPECT_TRUE(parse({version}).options.version) << version;
  EXPECT_EQ(errors({"m.ini", "-test=1"}), "option -test takes no value, got '1'");
  EXPECT_EQ(errors({"m.ini", "--test="}), "option -test takes no value, got ''");
}

TEST(Options, AreNotBundledAndNotAbbreviated) {
  const std::string hint = "\n  hint: n2d2 -h lists the options";
  EXPECT_EQ(errors({"m.ini", "-see=3"}), "Unknown option(s): -see=3; did you mean '-seed'?" + hint);
  EXPECT_EQ(errors({"m.ini", "--tes"}), "Unknown option(s): --tes; did you mean '-test'?" + hint);
  EXPECT_EQ(errors({"m.ini", "---test"}), "Unknown option(s): ---test; did you mean '-test'?" + hint);
  for (const char* text : {"-xyz", "--", "--=5", "-=", "-5"})
    EXPECT_EQ(errors({"m.ini", text}), fmt::format("Unknown option(s): {}{}", text, hint));
}

TEST(Options, ReportEverythingAtOnce) {
  EXPECT_EQ(errors({"m.ini", "-learn", "x", "-learn-stdp", "5", "-tests", "-seed"}),
            "option -learn: expected an integer, got 'x'\n"
            "option -learn-stdp is known to N2D2, not supported: spikes are not simulated\n"
            "Unknown option(s): -tests; did you mean '-test'?\n  hint: n2d2 -h lists the options\n"
            "option -seed: missing value <n>");
}

TEST(Options, RefuseAValueForPerOutputThatIsNotZeroOrOne) {
  EXPECT_EQ(errors({"m.ini", "-act-rescale-per-output", "-w", "x"}),
            "option -act-rescale-per-output: expected 0 or 1, got '-w'\n"
            "Unknown option(s): x\n  hint: the network file is 'm.ini' already");
}

TEST(Options, ACalibrationIsReloadedForTheSamplesThatWereMeasured) {
  EXPECT_EQ(errors({"m.ini", "-export", "CPP", "-calib-reload"}),
            "option -calib-reload: expected '-calib' with the stimuli that were measured");
  EXPECT_EQ(
      errors({"m.ini", "-calib", "5", "-calib-reload"}),
      "option -calib has no effect without -export or -calibOnly\n  hint: '-export CPP' (for 2 findings)\n"
      "option -calib-reload has no effect without -export or -calibOnly");
}

TEST(Options, WithoutEffectInARunAreNamed) {
  const auto idle = [](std::vector<std::string> arguments) { return join(parse(arguments).idle, "\n"); };
  EXPECT_EQ(idle({"m.ini", "-nbbits", "4", "-test"}),
            "option -nbbits has no effect without -export or -calibOnly");
  EXPECT_EQ(idle({"m.ini", "-nbbits", "8", "-test"}),
            "option -nbbits has no effect without -export or -calibOnly")
      << "as by default, but somebody wrote it";
  EXPECT_EQ(idle({"m.ini", "-no-unsigned", "-learn", "5", "-log-epoch", "2"}),
            "option -no-unsigned has no effect without -export or -calibOnly\n"
            "option -log-epoch has no effect without -learn-epoch");
  EXPECT_EQ(idle({"m.ini", "-learn", "5", "-learn-epoch", "1", "-log", "9"}),
            "option -learn has no effect beside -learn-epoch\n"
            "option -log has no effect without -learn, or beside -learn-epoch");
  EXPECT_EQ(idle({"m.ini", "-ws", "9", "-nb-test", "3"}),
            "option -ws has no effect without -learn or -learn-epoch\n"
            "option -nb-test has no effect without -test, -learn or -learn-epoch");
  EXPECT_EQ(
      idle({"m.ini", "-export", "CPP", "-nbbits", "-32", "-act-clipping-mode", "MSE", "-fuse", "-test"}),
      "option -act-clipping-mode has no effect with '-nbbits -32'\n"
      "option -fuse has no effect beside -export, which always fuses");
  EXPECT_EQ(idle({"m.ini", "-fuse"}), "option -fuse has no effect without -test");
  EXPECT_EQ(idle({"m.ini", "-export", "CPP", "-nbbits", "8", "-calib", "-1", "-no-cle", "-db-export", "1"}),
            "");
  EXPECT_EQ(idle({"m.ini", "-learn-epoch", "1", "-log-epoch", "1", "-nb-test", "3", "-fuse", "-ws", "5"}),
            "");
  EXPECT_EQ(idle({"m.onnx", "-init", "-nbbits", "4"}), "") << "the INI file is for other runs";
  EXPECT_EQ(idle({"m.ini", "-print-ini", "-nbbits", "4"}), "option -nbbits has no effect beside -print-ini");
  EXPECT_EQ(idle({"m.ini", "-help-layer", "-module", "a.so", "-seed", "4", "-test"}),
            "option -seed has no effect beside -help-layer\noption -test has no effect beside -help-layer");
  EXPECT_EQ(idle({"-check-memory", "plan.csv", "-strict"}),
            "option -strict has no effect beside -check-memory");
  EXPECT_EQ(idle({"m.onnx", "-print-ini", "-test-dir", "p", "-bgr"}), "");
}

TEST(Options, WithoutEffectInARunAreNamedForEachNeed) {
  const auto idle = [](std::vector<std::string> arguments) { return join(parse(arguments).idle, "\n"); };
  EXPECT_EQ(idle({"m.ini", "-learn", "5", "-learn-epoch", "1"}),
            "option -learn has no effect beside -learn-epoch");
  EXPECT_EQ(idle({"m.ini", "-report", "5", "-w", "x"}),
            "option -report has no effect without -learn or -learn-epoch\n"
            "option -w has no effect without -learn, -test, -export, -bn-reestimate or '-dump graph'");
  EXPECT_EQ(idle({"m.ini", "-dump", "graph", "-w", "x"}), "");
  EXPECT_EQ(idle({"m.ini", "-dump", "program", "-test"}),
            "option -dump: 'program' has no effect without -export");
  EXPECT_EQ(idle({"m.ini", "-test", "-w", "/dev/null", "-w-ignore"}),
            "option -w-ignore has no effect with '-w /dev/null', which reads no file");
  EXPECT_EQ(idle({"m.ini", "-learn", "1", "-w-ignore"}),
            "option -w-ignore has no effect beside learning, where missing files are no error");
  EXPECT_EQ(idle({"m.ini", "-test", "-w-ignore"}), "");
  EXPECT_EQ(idle({"m.ini", "-export", "CPP", "-calib", "5", "-act-quantile-value", "0.9"}),
            "option -act-quantile-value has no effect without '-act-clipping-mode Quantile'");
  EXPECT_EQ(idle({"m.ini", "-export", "CPP", "-calib", "5", "-calib-reload", "-nbbits", "-32"}),
            "option -calib has no effect with '-nbbits -32'\n"
            "option -calib-reload has no effect with '-nbbits -32'");
  EXPECT_EQ(idle({"m.ini", "-test", "-memory-curve"}),
            "option -memory-curve has no effect without '-export CPP'");
  EXPECT_EQ(idle({"m.ini", "-export", "CPP", "-nbbits", "-32", "-max-drop", "1", "-min-accuracy", "0.5"}),
            "option -max-drop has no effect with '-nbbits -32'\n"
            "option -min-accuracy has no effect with '-nbbits -32'");
  EXPECT_EQ(idle({"m.ini", "-test", "-doctor"}),
            "option -doctor has no effect without -export or -calibOnly");
  EXPECT_EQ(idle({"m.ini", "-export", "ONNX", "-memory-curve"}),
            "option -memory-curve has no effect with '-export ONNX', which plans no memory");
  EXPECT_EQ(idle({"m.ini", "-export", "CPP", "-memory-curve"}), "");
  EXPECT_EQ(idle({"m.ini", "-test", "-export-package", "cmake"}),
            "option -export-package has no effect without -export");
  EXPECT_EQ(idle({"m.ini", "-export", "ONNX", "-export-package", "cmake"}),
            "option -export-package has no effect with '-export ONNX', which writes no C++");
  EXPECT_EQ(idle({"m.ini", "-export", "CPP_CortexM", "-export-package", "cmake,zephyr"}), "");
  EXPECT_EQ(idle({"m.ini", "-test", "-test-index", "5", "-test-id", "7"}),
            "option -test-index has no effect beside -test-id");
  EXPECT_EQ(idle({"m.ini", "-dev", "1", "-multidev", "0,1", "-verbose", "3", "-dynamic-allocation",
                  "-wt-round-mode", "RINTF"}),
            "option -dev has no effect here: there is no CUDA device, the CPU is used\n"
            "option -multidev has no effect here: there is no CUDA device, the CPU is used\n"
            "option -dynamic-allocation has no effect here: it is accepted for command lines of N2D2\n"
            "option -wt-round-mode has no effect here: it is accepted for command lines of N2D2");
  EXPECT_EQ(idle({"m.ini", "-export", "CPP", "-calib", "-1", "-testQAT"}),
            "option -testQAT has no effect beside -export, where '-test' scores the integers");
}

TEST(Options, WithoutEffectBesideAnotherEndOfTheRunAreNamed) {
  const auto idle = [](std::vector<std::string> arguments) { return join(parse(arguments).idle, "\n"); };
  EXPECT_EQ(idle({"m.ini", "-calibOnly", "-calib", "5", "-nbbits", "4", "-act-clipping-mode", "None",
                  "-overwrite", "-w", "x", "-test", "-log-outputs", "1"}),
            "");
  EXPECT_EQ(
      idle({"m.ini", "-calibOnly", "-calib", "5", "-db-export", "1", "-test", "-fuse", "-bench"}),
      "option -db-export has no effect beside -calibOnly, which writes no project\n"
      "option -fuse has no effect beside -calibOnly, which always fuses\n"
      "option -bench has no effect beside -calibOnly, where the network is a program: a project that was "
      "built has -time");
  EXPECT_EQ(idle({"m.ini", "-bench"}), "option -bench has no effect without -test, -learn or -learn-epoch");
  EXPECT_EQ(idle({"m.ini", "-bench", "-export", "CPP", "-calib", "5", "-learn", "9"}), "");
  EXPECT_EQ(idle({"m.ini", "-find-lr", "100", "-w", "x", "-check", "-seed", "1", "-log-files"}), "");
  EXPECT_EQ(idle({"m.ini", "-check", "-w", "x", "-w-ignore"}),
            "option -w-ignore has no effect beside learning, where missing files are no error");
  EXPECT_EQ(idle({"m.ini", "-find-lr", "100", "-ws", "5", "-bench"}),
            "option -ws has no effect without -learn or -learn-epoch\n"
            "option -bench has no effect without -test, -learn or -learn-epoch");
  EXPECT_EQ(idle({"m.ini", "-analyze", "-no-cle", "-nbbits", "4", "-no-unsigned"}),
            "option -no-unsigned has no effect beside -analyze")
      << "the passes of an export depend on -no-cle, sizes on bits";
  EXPECT_EQ(idle({"m.ini", "-analyze", "-export-parameters", "p.ini"}), "");
  EXPECT_EQ(idle({"m.ini", "-analyze", "-check", "-bench", "-pre-samples", "3"}),
            "option -check has no effect beside -analyze\noption -bench has no effect beside -analyze\n"
            "option -pre-samples has no effect beside -analyze");
}

TEST(Options, ThatEndTheRunStandAlone) {
  EXPECT_EQ(errors({"m.ini", "-find-lr", "100", "-learn-epoch", "1", "-test"}),
            "option -learn-epoch cannot stand beside -find-lr, which ends the run\n"
            "option -test cannot stand beside -find-lr, which ends the run");
  EXPECT_EQ(errors({"m.ini", "-calibOnly", "-calib", "5", "-export", "CPP"}),
            "option -export cannot stand beside -calibOnly, which writes no project");
  EXPECT_EQ(errors({"m.ini", "-analyze", "-find-lr", "5", "-calibOnly"}),
            "option -find-lr cannot stand beside -analyze, which only looks\n"
            "option -calibOnly cannot stand beside -analyze, which only looks");
  EXPECT_EQ(errors({"m.ini", "-calibOnly", "-calib", "5", "-nbbits", "-32"}),
            "option -calibOnly: expected the bits of integers with -nbbits, got '-32'");
  EXPECT_EQ(errors({"m.graph", "-check", "-find-lr", "5"}),
            "option -find-lr: a graph file does not learn, it has no solvers\n"
            "  hint: learn with the INI file, then '-dump graph' (for 2 findings)\n"
            "option -check: a graph file does not learn, it has no solvers");
  for (const std::string name : {"find-lr", "check"}) {
    std::vector<std::string> arguments{"m.onnx", "-" + name};
    if (name == "find-lr") arguments.emplace_back("5");
    EXPECT_EQ(errors(arguments), fmt::format("option -{}: an ONNX file alone has no samples to learn from\n"
                                             "  hint: '-init' writes an INI file to begin with",
                                             name));
  }
  EXPECT_EQ(parse({"m.onnx", "-calibOnly", "-calib-dir", "p"}).options.calib, -1);
}

TEST(Options, VerboseTakesALevelOrNone) {
  EXPECT_EQ(parse({"m.ini"}).options.verbose, 0);
  EXPECT_EQ(parse({"m.ini", "-verbose", "-test"}).options.verbose, 1);
  EXPECT_EQ(parse({"-verbose", "m.ini"}).options.model, "m.ini");
  EXPECT_EQ(parse({"-verbose", "3", "m.ini"}).options.verbose, 3);
  EXPECT_EQ(parse({"m.ini", "-verbose", "0", "-quiet"}).options.verbose, 0);
  EXPECT_EQ(errors({"m.ini", "-verbose", "-quiet"}), "option -verbose cannot stand beside -quiet");
}

TEST(Options, ThatStandTwiceSayWhichValueCounts) {
  const CommandLine line =
      parse({"m.ini", "-seed", "1", "-seed=2", "-module", "a", "-module", "b", "-strict", "-strict"});
  EXPECT_EQ(line.options.seed, 2);
  EXPECT_EQ(line.options.modules, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(join(line.idle, "\n"), "option -seed: '1' has no effect, '2' comes later");
  EXPECT_EQ(join(parse({"m.ini", "-seed", "1", "--seed", "1"}).idle, "\n"), "");
}

TEST(Options, OfN2d2ThatAreNotThereSayWhy) {
  for (const OtherOption& other : other_options()) {
    EXPECT_EQ(find_option(other.name), nullptr) << other.name;
    std::vector<std::string> arguments{"m.ini", "-" + std::string(other.name)};
    if (other.has_value) arguments.emplace_back("-5");
    EXPECT_FALSE(other.reason.empty()) << other.name;
    EXPECT_EQ(errors(arguments),
              fmt::format("option -{} is known to N2D2, not supported: {}", other.name, other.reason));
  }
}

TEST(Options, ThatWereDeletedChangeNothingAndSayWhatToUse) {
  const std::string said =
      "option -tune: an option that was deleted, it changes nothing: Kernel=<form> in the file of "
      "-export-parameters chooses the form of a kernel";
  for (const std::vector<std::string>& tune : std::vector<std::vector<std::string>>{
           {"-tune"}, {"--tune"}, {"-tune", "times.txt"}, {"-tune=times"}, {"-tune", "-tune=a"}}) {
    std::vector<std::string> arguments{"-export", "CPP", "-calib", "-1"};
    arguments.insert(arguments.end(), tune.begin(), tune.end());
    arguments.insert(arguments.end(), {"m.ini", "-seed", "3"});
    const CommandLine line = parse(arguments);
    EXPECT_EQ(join(line.idle, "\n"), said) << join(tune, " ");
    EXPECT_EQ(line.options.model, "m.ini") << join(tune, " ");
    EXPECT_EQ(line.options.seed, 3) << join(tune, " ");
    EXPECT_EQ(given_options(line.options).size(), 3U) << join(tune, " ");
  }
  EXPECT_EQ(errors({"m.ini", "---tune"}), "Unknown option(s): ---tune\n  hint: n2d2 -h lists the options");
}

TEST(Options, HaveNamesOfTheirOwnAndRoomForTheirTexts) {
  std::set<std::string_view> names;
  for (const Option& option : options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(option.alias.empty() || names.insert(option.alias).second) << option.alias;
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_EQ(option.value.empty(), std::holds_alternative<bool Options::*>(option.member)) << option.name;
  }
}

TEST(Options, RefuseBitsThatNobodyHas) {
  EXPECT_EQ(errors({"m.ini", "-nbbits", "1"}), "option -nbbits: expected 2 to 16, or -32 for float, got '1'");
  EXPECT_EQ(errors({"m.ini", "-nbbits", "-64"}),
            "option -nbbits: -64 is not supported: exports compute in floats of 32 bits\n"
            "  hint: 8 for integers, -32 for float");
}

TEST(Options, NeedANetworkUnlessTheyOnlyPrint) {
  EXPECT_EQ(errors({}), "no network file\n  hint: n2d2 <net>.ini [options]; n2d2 -h lists them");
  EXPECT_EQ(errors({"-print-ini"}), "no network file\n  hint: n2d2 <net>.ini [options]; n2d2 -h lists them");
  EXPECT_TRUE(parse({"-h"}).options.only_prints());
  EXPECT_TRUE(parse({"-help-layer", "Conv"}).options.only_prints());
}

TEST(Options, AMemoryPlanIsCheckedWithoutANetwork) {
  EXPECT_EQ(parse({"-check-memory", "plan.csv"}).options.check_memory, "plan.csv");
  EXPECT_EQ(errors({"m.ini", "-check-memory", "plan.csv"}),
            "option -check-memory takes no network file\n  hint: 'm.ini' is one");
}

TEST(Options, SamplesAreThoseOfAnOnnxFileAlone) {
  const Options o = parse({"m.onnx", "-export", "CPP", "-calib-dir", "p", "-preset", "unit"}).options;
  EXPECT_EQ(o.calib_dir, "p");
  EXPECT_EQ(o.calib, -1);
  EXPECT_EQ(parse({"m.onnx", "-export", "CPP", "-calib-dir", "p", "-calib", "7"}).options.calib, 7);
  EXPECT_EQ(parse({"m.onnx", "-export", "CPP", "-nbbits", "-32", "-calib-dir", "p"}).options.calib, 0);
  EXPECT_EQ(errors({"m.ini", "-calib-dir", "p", "-bgr"}),
            "option -calib-dir goes with an ONNX file alone\n"
            "  hint: in an INI file [database] and the transformations say it, CalibrationPath what "
            "calibrates (for 2 "
            "findings)\n"
            "option -bgr goes with an ONNX file alone");
}

TEST(Options, OfSamplesThatContradictEachOtherAreRefused) {
  const std::vector<std::string> base{"m.onnx", "-test"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return errors(more);
  };
  EXPECT_EQ(with({"-calib-dir", "p", "-calib-npy", "a.npy"}),
            "option -calib-dir cannot stand beside -calib-npy");
  EXPECT_EQ(with({"-test-dir", "p", "-preset", "none", "-scale", "1"}),
            "option -preset cannot stand beside -scale");
  EXPECT_EQ(with({"-test-dir", "p", "-preset", "imagenet-torch", "-bgr"}),
            "option -preset cannot stand beside -bgr");
  EXPECT_EQ(with({"-test-dir", "p", "-preset", "imagenet"}),
            "option -preset: expected imagenet-torch or imagenet-tf or unit or none, got 'imagenet'");
  EXPECT_EQ(with({"-calib-npy", "a.npy", "-crop"}), "option -calib-npy cannot stand beside -crop");
  EXPECT_EQ(with({"-test-dir", "p", "-mean", "0.5"}),
            "option -mean, -std: missing -scale, which says of what values they are\n"
            "  hint: '-scale 1' for those of bytes, such as 123.675, '-scale 1/255' for 0.485");
  EXPECT_EQ(with({"-learn", "7"}),
            "option -learn, -learn-epoch: an ONNX file alone has no samples to learn from\n"
            "  hint: '-init' writes an INI file to begin with");
}

TEST(Options, OfSamplesSayWhenTheyHaveNoEffect) {
  EXPECT_EQ(errors({"m.onnx", "-resize", "32"}),
            "option -resize has no effect without -calib-dir, -calib-npy or -test-dir");
  EXPECT_EQ(errors({"m.onnx", "-calib-dir", "p"}),
            "option -calib-dir has no effect without -export, -calibOnly, -test, -dump or -init");
  EXPECT_EQ(errors({"m.onnx", "-calib-dir", "p", "-init"}), "none");
}

TEST(Options, SamplesToCalibrateOnAreSoManyAsCalibSays) {
  EXPECT_EQ(errors({"m.onnx", "-export", "CPP", "-calib-npy", "a.npy", "-calib", "0"}),
            "option -calib: expected how many samples of -calib-dir or -calib-npy, or -1 for all, got '0'");
  const Options o = parse({"m.onnx", "-calib", "5", "-export", "CPP", "-calib-npy", "a.npy"}).options;
  EXPECT_EQ(o.calib, 5);
  EXPECT_EQ(o.rest, (std::vector<std::string>{"-calib", "5", "-export", "CPP"}));
}

TEST(Options, InitMayNameItsFile) {
  EXPECT_EQ(parse({"a/m.onnx", "-init"}).options.init, "m.ini");
  EXPECT_EQ(parse({"-init", "m.onnx"}).options.init, "m.ini");
  const Options o =
      parse({"-init", "n.INI", "m.onnx", "-export", "CPP", "-calib-dir", "p", "-db-export", "3"}).options;
  EXPECT_EQ(o.init, "n.INI");
  EXPECT_EQ(o.model, "m.onnx");
  EXPECT_EQ(o.rest, (std::vector<std::string>{"-export", "CPP", "-db-export", "3", "-calib", "-1"}));
  EXPECT_EQ(
      errors({"m.ini", "-init"}),
      "option -init goes with an ONNX file alone\n"
      "  hint: in an INI file [database] and the transformations say it, CalibrationPath what calibrates");
}

TEST(Options, HelpMayHaveASubject) {
  EXPECT_EQ(parse({"-help-layer", "Conv"}).options.help_layer, "Conv");
  EXPECT_EQ(parse({"-help-layer"}).options.help_layer, "list");
  EXPECT_EQ(parse({"-help-export"}).options.help_export, "all");
  const Options o = parse({"-help-solver", "m.ini", "-help-filler", "-help-activation=Tanh"}).options;
  EXPECT_EQ(o.help_solver, "list");
  EXPECT_EQ(o.help_filler, "list");
  EXPECT_EQ(o.help_activation, "Tanh");
  EXPECT_EQ(o.model, "m.ini");
}

TEST(Options, NetworksOfOtherFrameworksBecomeOnnxFiles) {
  EXPECT_EQ(errors({"m.TFLITE"}),
            "m.TFLITE: expected a network file that ends in .ini, .onnx or .graph\n"
            "  hint: 'python -m tf2onnx.convert --tflite <file> --output net.onnx' makes an ONNX file of it");
  for (const char* file : {"m.h5", "m.keras", "m.pt", "m.pth"})
    EXPECT_NE(errors({file}).find("makes an ONNX file of it"), std::string::npos) << file;
  EXPECT_EQ(errors({"m.txt"}), "m.txt: expected a network file that ends in .ini, .onnx or .graph");
}

}  // namespace
}  // namespace n2d2::app
