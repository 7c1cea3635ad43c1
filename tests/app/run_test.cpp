#include "run.hpp"

#include "n2d2/base/log.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

class Run : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write("net.ini", kSmallNet);
  }
  static bool exists(const std::string& path) { return std::filesystem::exists(path); }
};

TEST_F(Run, BuildsAndCountsWithoutAnythingElseToDo) {
  const std::string out = run_net({"-seed", "1"});
  EXPECT_TRUE(has(out,
                  "Learning database size: 200 images\nValidation database size: 50 images\n"
                  "Testing database size: 60 images\n"))
      << out;
  EXPECT_TRUE(exists("stats/stats.log"));
  EXPECT_FALSE(exists("weights"));
}

TEST_F(Run, LearnsValidatesSavesTheBestAndTests) {
  const std::string out = run_net({"-seed", "1", "-learn-epoch", "2"});
  EXPECT_TRUE(has(out, "+++ BEST validation score: ")) << out;
  EXPECT_TRUE(has(out, "% [Sensitivity]\n    'weights_validation' saved!\n")) << out;
  EXPECT_TRUE(has(out, "Final recognition rate: ")) << out;
  EXPECT_TRUE(has(out, "forward: ") && has(out, " images/s, batch 256, ")) << out;
  EXPECT_EQ(read("seed.dat"), "1\n");
  for (const char* file : {"weights_init/conv_weights.syntxt", "weights_validation/fc_biases.syntxt",
                           "softmax.Target/Success_learning.dat", "softmax.Target/Success_validation.dat",
                           "softmax.Target/Success_test.dat", "softmax.Target/ConfusionMatrix_test.dat",
                           "softmax.Target/test/classif.log", "softmax.Target/labels_mapping.log.dat"})
    EXPECT_TRUE(exists(file)) << file;
  // Equal weights give the same score in a run of their own, with the seed of seed.dat.
  const std::string score = scores_in(out);
  EXPECT_TRUE(has(run_net({"-test"}), score));
  EXPECT_TRUE(has(run_net({"-test", "-fuse", "-w", "weights_validation"}), score));
}

TEST_F(Run, WritesEverythingBelowTheFolderOfO) {
  const auto names = [] {
    std::string out;
    for (const auto& entry : std::filesystem::directory_iterator("."))
      out += entry.path().filename().string() + " ";
    return out;
  };
  std::filesystem::remove("net.ini");
  write("net.ini", kSmallNet + "[sp.StimuliData]\nMeanData=1\n");
  const std::string out =
      run_net({"-seed", "1", "-learn-epoch", "1", "-o", "runs/a", "-log-files", "-bench", "-log-kernels",
               "-dump", "graph", "-pre-samples", "0", "-save-test-set", "set", "-log-outputs", "1"});
  EXPECT_TRUE(has(out, "'runs/a/weights_validation' saved!\n")) << out;
  EXPECT_TRUE(names() == "net.ini runs " || names() == "runs net.ini ") << names();
  for (const char* file :
       {"seed.dat", "stats/stats.log", "weights_init/conv_weights.syntxt", "softmax.Target/Success_test.dat",
        "graph.00.build.txt", "set", "kernels", "timings/learning.dat", "outputs_test_1", "pre_samples_0",
        "net_state/state.txt", "schedule/learning_rate.dat", "sp.StimuliData"})
    EXPECT_TRUE(exists(std::string("runs/a/") + file)) << file;
  // Its seed and its weights are those of a later run.
  const std::string score = scores_in(out);
  EXPECT_TRUE(has(run_net({"-test", "-o", "runs/a"}), score.substr(0, score.find('\n'))));
  run_net({"-find-lr", "100", "-o", "runs/a"});
  EXPECT_TRUE(exists("runs/a/find_lr_softmax.Target.dat"));
  EXPECT_TRUE(names() == "net.ini runs " || names() == "runs net.ini ") << names();
}

TEST_F(Run, ExportsBelowTheFolderOfO) {
  N2D2_NEEDS_TARGETS("CPP");
  const std::string out =
      run_net({"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-calib", "5", "-o", "out"});
  EXPECT_TRUE(has(out, "Exported to 'out/export_CPP_int8' with 60 stimuli\n")) << out;
  EXPECT_TRUE(exists("out/export_CPP_int8/Makefile"));
  EXPECT_FALSE(exists("export_CPP_int8"));
}

TEST_F(Run, WritesAHundredStimuliUnlessAskedForMore) {
  N2D2_NEEDS_TARGETS("CPP");
  std::string text = kSmallNet;
  text.replace(text.find("Test=60"), 7, "Test=130");
  write("net.ini", text);
  std::vector<std::string> arguments{"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "-32"};
  std::string out = run_net(arguments);
  EXPECT_TRUE(has(out,
                  "100 of 130 Test samples are written with the project; '-db-export n' says how many, -1: "
                  "all\n"))
      << out;
  EXPECT_TRUE(has(out, "' with 100 stimuli\n")) << out;
  arguments.insert(arguments.end(), {"-db-export", "-1"});
  out = run_net(arguments);
  EXPECT_TRUE(has(out, "' with 130 stimuli\n")) << out;
  EXPECT_FALSE(has(out, "are written with the project")) << out;
}

TEST_F(Run, SaysThatBatchNormsNeverLearnt) {
  std::string text = kSmallNet;
  text.replace(
      text.find("[fc]\nInput=conv"), 15,
      "[bn1]\nInput=conv\nType=BatchNorm\nNbOutputs=4\n[bn2]\nInput=bn1\nType=BatchNorm\nNbOutputs=4\n"
      "[fc]\nInput=bn2");
  write("net.ini", text);
  const std::string out = run_net({"-seed", "1", "-w", "/dev/null", "-test"});
  EXPECT_TRUE(has(out, "[bn1] BatchNorm and 1 more: all stored variances are 0")) << out;
  EXPECT_FALSE(has(out, "no numbers")) << out;
  EXPECT_FALSE(has(run_net({"-seed", "1", "-learn-epoch", "1"}), "stored variances"));
  // Without Epsilon they divide by 0.
  text.replace(text.find("NbOutputs=4\n[bn2]"), 11, "NbOutputs=4\nConfigSection=no");
  write("net.ini", text + "[no]\nEpsilon=0\n");
  const std::string lost = run_net({"-seed", "1", "-w", "/dev/null", "-test"});
  EXPECT_TRUE(has(lost, "[softmax.Target]: outputs of 60 of 60 samples are infinite or no numbers")) << lost;
}

TEST_F(Run, LearnsFromSoManyStimuliAndSavesAtEachLogWithoutValidation) {
  std::string text = kSmallNet;
  text.replace(text.find("Validation=50"), 13, "Validation=0");
  write("net.ini", text);
  const std::string out = run_net({"-seed", "1", "-learn", "120", "-log", "60"});
  EXPECT_TRUE(has(out, "    'weights' saved!\n")) << out;
  EXPECT_FALSE(exists("weights_validation"));
  EXPECT_TRUE(exists("weights/conv_weights.syntxt"));
}

TEST_F(Run, ExportsAnIntegerProjectAndScoresItInProcess) {
  N2D2_NEEDS_TARGETS("CPP");
  run_net({"-seed", "1", "-learn-epoch", "2"});
  const std::string out = run_net(
      {"-export", "CPP", "-nbbits", "8", "-calib", "-1", "-db-export", "3", "-test", "-dump", "graph"});
  EXPECT_TRUE(has(out, "Calibration: 50 of 50 Validation samples\n")) << out;
  EXPECT_TRUE(has(out, "\nRAM: ") || out.starts_with("RAM: ")) << out;
  EXPECT_TRUE(has(out, "\nWeights: ")) << out;
  EXPECT_TRUE(has(out, "Final recognition rate: ")) << out;
  EXPECT_TRUE(has(out, "Exported to 'export_CPP_int8' with 3 stimuli\n")) << out;
  for (const char* file : {"export_CPP_int8/Makefile", "export_CPP_int8/dnn/src/forward.cpp",
                           "export_CPP_int8/stimuli.list", "export_CPP_int8/statistics/quantization.json",
                           "export_CPP_int8/statistics/transformations/transformations.dot",
                           "softmax.Target/Success_export.dat", "softmax.Target/export/classif.log"})
    EXPECT_TRUE(exists(file)) << file;
}

TEST_F(Run, PrintsTheProgramThatCppWouldExport) {
  N2D2_NEEDS_TARGETS("CPP", "PRINT");
  const std::string out =
      run_net({"-seed", "1", "-w", "/dev/null", "-export", "PRINT", "-nbbits", "8", "-calib", "-1", "-test"});
  EXPECT_TRUE(has(out, "-export PRINT: does not run in process, no score\n")) << out;
  EXPECT_TRUE(has(out, "export PRINT: kernels of -export CPP: conv2d, fc\n")) << out;
  EXPECT_TRUE(has(out, "Exported to 'export_PRINT_int8'\n")) << out;
  const std::string listing = read("export_PRINT_int8/program.txt");
  EXPECT_TRUE(has(listing, "\n  env  \"env\" : u8 12x12x1 at default+")) << listing;
  EXPECT_TRUE(has(listing, "\n\"conv\" = conv2d, rows 0 to 4, ")) << listing;
  EXPECT_TRUE(has(listing, "\n  weights : i8 4x1x3x3, 36 bytes\n")) << listing;
  run_net({"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "-1", "-db-export",
           "1", "-dump", "program"});
  EXPECT_EQ(read("program.txt"), listing);
  EXPECT_EQ(read("program.json"), read("export_PRINT_int8/program.json"));
  EXPECT_TRUE(has(listing, "memory default : ")) << listing;
  EXPECT_TRUE(has(read("program.json"), "\"kernel\": \"conv2d\"")) << read("program.json");
}

TEST_F(Run, ExportsIntoAFolderOfSomebodyElseOnlyWithOverwrite) {
  N2D2_NEEDS_TARGETS("CPP");
  std::vector<std::string> arguments{"-seed", "1",       "-w",  "/dev/null",  "-export",
                                     "CPP",   "-nbbits", "-32", "-db-export", "0"};
  std::filesystem::create_directories("export_CPP_float32");
  std::ofstream("export_CPP_float32/notes.txt") << "mine";
  EXPECT_THROW(run_net(arguments), ExportError);
  EXPECT_FALSE(exists("export_CPP_float32/Makefile"));
  arguments.emplace_back("-overwrite");
  run_net(arguments);
  EXPECT_TRUE(exists("export_CPP_float32/Makefile"));
  EXPECT_TRUE(exists("export_CPP_float32/notes.txt"));
}

TEST_F(Run, ExportsAFloatProjectWithTheScoreOfTheNetwork) {
  N2D2_NEEDS_TARGETS("CPP");
  const std::string learnt = run_net({"-seed", "1", "-learn-epoch", "2"});
  const std::string out = run_net({"-export", "CPP", "-nbbits", "-32", "-db-export", "0", "-test"});
  EXPECT_TRUE(exists("export_CPP_float32/Makefile"));
  EXPECT_TRUE(has(out, scores_in(learnt))) << out;
}

TEST_F(Run, TestsOnlyTheSamplesItIsAskedFor) {
  const std::string out = run_net({"-seed", "1", "-w", "/dev/null", "-test", "-test-index", "3"});
  EXPECT_TRUE(has(out, "Final recognition rate: 0.00%") || has(out, "Final recognition rate: 100.00%"))
      << out;
  EXPECT_TRUE(has(run_net({"-seed", "1", "-w", "/dev/null", "-test", "-nb-test", "100"}),
                  "there are only 60 Test samples, all are used"));
}

TEST_F(Run, DumpsTheGraphAfterEachStage) {
  run_net({"-seed", "1", "-w", "/dev/null", "-test", "-fuse", "-dump", "graph"});
  EXPECT_TRUE(has(read("graph.00.build.txt"), "conv_act : f32 1x4x5x5 = Relu(conv)"));
  EXPECT_TRUE(exists("graph.01.remove_dropout.txt"));
}

TEST_F(Run, PrintsTheDocumentAndHelp) {
  N2D2_NEEDS_TARGETS("CPP");
  EXPECT_TRUE(has(run_net({"-print-ini"}), "KernelSize=3"));
  EXPECT_TRUE(has(run_net({"-help-layer", "Conv"}), "KernelDims"));
  EXPECT_TRUE(has(run_net({"-help-database", "list"}), "Glyphs_Database\n"));
  EXPECT_TRUE(has(run_net({"-help-transformation", "FlipTransformation"}), "RandomHorizontalFlip"));
  EXPECT_TRUE(has(run_net({"-help-solver", "SGD"}), "LearningRatePolicy"));
  EXPECT_TRUE(has(run_net({"-help-filler", "HeFiller"}), "Scaling"));
  EXPECT_TRUE(has(run_net({"-help-export-parameters"}), "MemoryAlignment"));
  EXPECT_THROW(run_net({"-help-filler", "Covn"}), ConfigError);
}

}  // namespace
}  // namespace n2d2::app
