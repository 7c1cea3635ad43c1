#include "n2d2/data/target.hpp"

#include "samples.hpp"

namespace n2d2::data {
namespace {

const std::vector<std::string> kLabels{"/cat", "/dog", "/big dog"};

std::string option_errors(MapKeys::Map keys) {
  Diagnostics diagnostics;
  read_target_options(MapKeys(std::move(keys), "[fc.Target]"), diagnostics);
  return errors_of(diagnostics);
}

TEST(TargetOptions, DefaultsAndNeutralKeysAreAccepted) {
  EXPECT_EQ(option_errors({}), "");
  EXPECT_EQ(
      option_errors({{"Type", "Target"}, {"DataAsTarget", "0"}, {"WeakTarget", "-2"}, {"MaskedLabel", "-1"}}),
      "");
}

std::string notices(MapKeys::Map keys) {
  const log::Capture capture;
  Diagnostics diagnostics;
  read_target_options(MapKeys(std::move(keys), "[fc.Target]"), diagnostics);
  EXPECT_EQ(errors_of(diagnostics), "");
  return capture.text();
}

TEST(TargetOptions, KeysOfPicturesAreOneNotice) {
  EXPECT_EQ(notices({{"NoDisplayLabel", "0"},
                     {"LabelsHueOffset", "90"},
                     {"EstimatedLabelsValueDisplay", "0"},
                     {"ValueThreshold", "0.5"},
                     {"ImageLogFormat", "png"}}),
            "[fc.Target] NoDisplayLabel, LabelsHueOffset, EstimatedLabelsValueDisplay, ValueThreshold, "
            "ImageLogFormat: no "
            "pictures of outputs are drawn\n");
}

TEST(TargetOptions, KeysWithoutEffectAreSaid) {
  EXPECT_EQ(notices({{"ConfusionQuantSteps", "5"}}),
            "[fc.Target] ConfusionQuantSteps: without DataAsTarget=1 they change nothing\n");
  EXPECT_EQ(notices({{"DataAsTarget", "1"}, {"TargetValue", "2"}, {"TopN", "3"}}),
            "[fc.Target] TargetValue, TopN: with DataAsTarget=1 they change nothing\n");
}

TEST(TargetOptions, UnsupportedOnesAreErrors) {
  EXPECT_EQ(option_errors({{"Type", "TargetROIs"}}),
            "a.ini:5: [fc.Target] Type: 'TargetROIs' is known to N2D2, not supported; supported: "
            "TargetScore, Target\n");
  EXPECT_EQ(
      option_errors({{"Type", "Score"}}),
      "a.ini:5: [fc.Target] Type: expected one of TargetScore Target TargetROIs TargetAggregate TargetBBox "
      "TargetCompare TargetMatching TargetRP, got 'Score'\n");
  EXPECT_EQ(
      option_errors({{"MaskLabelTarget", "a"}, {"ROIsLabelTarget", "b"}}),
      "a.ini:5: [fc.Target] ROIsLabelTarget: 'b' is not supported: known to N2D2, rectangles are not found "
      "in "
      "outputs\n"
      "a.ini:5: [fc.Target] MaskLabelTarget: 'a' is not supported: known to N2D2, a target does not mask "
      "another\n");
  EXPECT_EQ(option_errors({{"DataAsTarget", "1"}, {"ConfusionRangeMin", "1"}}),
            "a.ini:5: [fc.Target] ConfusionRangeMin: expected less than ConfusionRangeMax=1, got 1\n");
  EXPECT_EQ(option_errors({{"CreateMissingLabels", "1"}}),
            "a.ini:5: [fc.Target] CreateMissingLabels: expected LabelsMapping beside it, whose labels it "
            "creates\n");
}

struct Made {
  std::optional<Target> target;
  std::string errors, warnings;
};

Made make(const TargetOptions& options, const std::vector<std::string>& labels, int outputs) {
  Diagnostics diagnostics;
  Made out;
  out.target =
      make_target(options, labels, outputs, MapKeys({{"LabelsMapping", "x"}}, "[fc.Target]"), diagnostics);
  out.errors = errors_of(diagnostics);
  for (const Diagnostic& warning : diagnostics.warnings()) out.warnings += warning.text() + "\n";
  return out;
}

TEST(Target, WithoutFileTheLabelIsTheClass) {
  const Made made = make({}, kLabels, 4);
  ASSERT_TRUE(made.target) << made.errors;
  EXPECT_EQ(made.target->class_of(2), 2);
  EXPECT_EQ(made.target->class_of(-1), -1);
  EXPECT_EQ(made.target->classes(), 4);
  EXPECT_EQ(made.target->class_names(), (std::vector<std::string>{"/cat", "/dog", "/big dog", "3"}));
  EXPECT_EQ(made.target->mapping_text(), "/cat 0\n/dog 1\n\"/big dog\" 2\n* -1\n");
}

TEST(Target, OneOutputIsTwoClasses) {
  EXPECT_EQ(make({}, {"no", "yes"}, 1).target->classes(), 2);
  EXPECT_EQ(make({}, kLabels, 1).errors,
            "a.ini:1: [fc.Target] 3 labels need as many outputs, the layer has 1\n"
            "  hint: NbOutputs of the layer, or LabelsMapping to bring several labels to one output\n");
}

TEST(Target, TopNIsClampedWithAWarning) {
  TargetOptions options;
  options.top_n = 5;
  const Made made = make(options, kLabels, 3);
  EXPECT_EQ(made.target->options().top_n, 3);
  EXPECT_EQ(made.warnings, "a.ini:1: [fc.Target] TopN: 5 of 3 outputs, 3 is used\n");
}

Made with_names(const Folder& folder, const std::string& names, const std::vector<std::string>& labels,
                int outputs) {
  folder.write("labels.txt", names);
  TargetOptions options;
  options.labels_file = folder.path("labels.txt");
  Made made = make(options, labels, outputs);
  made.errors = folder.anonymous(made.errors);
  return made;
}

TEST(LabelsFile, NamesTheClassesAndFindsThoseOfTheLabels) {
  const Folder folder;
  const Made made = with_names(folder, "big dog\r\ncow\ncat, tame\ndog\n\n", {"/cat", "/dog", "/big dog"}, 4);
  ASSERT_TRUE(made.target) << made.errors;
  EXPECT_EQ(made.target->class_names(), (std::vector<std::string>{"big dog", "cow", "cat, tame", "dog"}));
  EXPECT_EQ(made.target->mapping_text(), "/cat 2\n/dog 3\n\"/big dog\" 0\n* -1\n");
  for (const char* names : {"\xEF\xBB\xBF"
                            "dog\r\ncat\r\n",
                            "dog\rcat\r"})
    EXPECT_EQ(with_names(folder, names, {"/cat", "/dog"}, 2).target->class_names(),
              (std::vector<std::string>{"dog", "cat"}));
  EXPECT_EQ(with_names(folder, "7\n10\n2\n", {"/10", "/2"}, 3).target->mapping_text(), "/10 1\n/2 2\n* -1\n");
}

TEST(LabelsFile, NamesAllClassesAndEachLabelOnce) {
  const Folder folder;
  EXPECT_EQ(with_names(folder, "a\nb\n", {}, 3).errors,
            "a.ini:1: [fc.Target] LabelsFile: expected 3 names, one a line, 'DIR/labels.txt' has 2\n"
            "  hint: line 1 names class 0\n");
  EXPECT_EQ(with_names(folder, "great owl\ngreat shark\nowl\n", {"/great", "/shark"}, 3).errors,
            "a.ini:1: [fc.Target] LabelsFile: label 'great' is several lines of 'DIR/labels.txt'\n"
            "  hint: a line is the label, or begins with it\n"
            "a.ini:1: [fc.Target] LabelsFile: label 'shark' is no line of 'DIR/labels.txt'\n"
            "  hint: a line is the label, or begins with it\n");
  TargetOptions options;
  options.labels_file = folder.path("none.txt");
  EXPECT_EQ(folder.anonymous(make(options, {}, 2).errors),
            "a.ini:1: [fc.Target] LabelsFile: 'DIR/none.txt': no such file\n");
}

TEST(LabelsFile, LeavesTheClassesToAMapping) {
  const Folder folder;
  folder.write("labels.txt", "one\ntwo\n");
  folder.write("map.txt", "/cat 1\n");
  TargetOptions options;
  options.labels_file = folder.path("labels.txt");
  options.labels_mapping = folder.path("map.txt");
  const Made made = make(options, {"/cat"}, 2);
  ASSERT_TRUE(made.target) << made.errors;
  EXPECT_EQ(made.target->class_of(0), 1);
  EXPECT_EQ(made.target->class_names(), (std::vector<std::string>{"one", "two"}));
}

class LabelsMapping : public testing::Test {
 protected:
  Made with(const std::string& file, const std::vector<std::string>& labels = kLabels, int outputs = 3,
            bool create = false) {
    folder_.write("map.dat", file);
    TargetOptions options;
    options.labels_mapping = folder_.path("map.dat");
    options.create_missing_labels = create;
    Made made = make(options, labels, outputs);
    made.errors = folder_.anonymous(made.errors);
    made.warnings = folder_.anonymous(made.warnings);
    return made;
  }
  std::vector<int> classes(const Made& made) {
    std::vector<int> out;
    EXPECT_TRUE(made.target) << made.errors;
    for (int label = -1; made.target && label < static_cast<int>(made.target->labels().size()); ++label)
      out.push_back(made.target->class_of(label));
    return out;
  }
  Folder folder_;
};

TEST_F(LabelsMapping, LastWordIsTheTarget) {
  EXPECT_EQ(classes(with("# comment\n/cat 1 # here\n\n/dog\t \t0\n/big dog   2\r\n")),
            (std::vector<int>{-1, 1, 0, 2}));
}

TEST_F(LabelsMapping, SpecialNamesAndWildcards) {
  EXPECT_EQ(classes(with("* 2\n/c* 1\ndefault 0\n")), (std::vector<int>{2, 1, 0, 0}));
  EXPECT_EQ(classes(with("/c* 1\ndefault 0\n")), (std::vector<int>{0, 1, 0, 0})) << "no label is not listed";
  EXPECT_EQ(classes(with("/+at 1\n/?og 0\n*dog 2\n")), (std::vector<int>{-1, 1, 2, 2}));
  EXPECT_EQ(classes(with("default -1\n")), (std::vector<int>{-1, -1, -1, -1}));
}

TEST_F(LabelsMapping, QuotesAndLiteralNames) {
  EXPECT_EQ(classes(with("\"/big dog\" 0\n\"default\" 1\n/cat 2\n/dog 2\n",
                         {"/cat", "/dog", "/big dog", "default"})),
            (std::vector<int>{-1, 2, 2, 0, 1}));
  EXPECT_EQ(classes(with("c++ 1\ncab 0\n", {"c++", "cab"})), (std::vector<int>{-1, 1, 0}));
  EXPECT_EQ(classes(with("\"a*\" 1\nab 0\n", {"a*", "ab"})), (std::vector<int>{-1, 1, 0}));
  EXPECT_EQ(with("a* 1\nab 0\n", {"a*", "ab"}).errors,
            "DIR/map.dat:1: labels mapping: 'a*' is a label and a mask\n"
            "  hint: quotes around it make it a label\n");
}

TEST_F(LabelsMapping, MissingLabelsAreWarnedAboutOrCreated) {
  const std::string file = "/cat 0\n/dog 1\n/big dog 1\n/cow 2\n";
  EXPECT_EQ(with(file).warnings,
            "DIR/map.dat:4: labels mapping: no label of the database is meant by '/cow'\n");
  const Made made = with(file, kLabels, 3, true);
  EXPECT_EQ(made.warnings, "");
  EXPECT_EQ(classes(made), (std::vector<int>{-1, 0, 1, 1, 2}));
  EXPECT_EQ(made.target->class_names(), (std::vector<std::string>{"/cat", "/dog,/big dog", "/cow"}));
}

TEST_F(LabelsMapping, Errors) {
  EXPECT_EQ(with("/cat 0\n").errors,
            "a.ini:5: [fc.Target] LabelsMapping: label '/dog' is not in 'DIR/map.dat'\n"
            "  hint: a line 'default -1' ignores every label that is not listed\n"
            "a.ini:5: [fc.Target] LabelsMapping: label '/big dog' is not in 'DIR/map.dat'\n"
            "  hint: a line 'default -1' ignores every label that is not listed\n");
  EXPECT_EQ(with("/cat\n/dog x\ndefault -2\ndefault 3\n").errors,
            "DIR/map.dat:1: labels mapping: expected 'label output', got '/cat'\n"
            "DIR/map.dat:2: labels mapping: expected 'label output', got '/dog x'\n"
            "DIR/map.dat:3: labels mapping: expected an output >= 0, or -1 to ignore, got '-2'\n"
            "DIR/map.dat:4: labels mapping: expected an output below 3, got '3'\n");
  EXPECT_EQ(with("default 0\ndefault 1\n").errors,
            "DIR/map.dat:2: labels mapping: 'default' already is in line 1\n");
  TargetOptions options;
  options.labels_mapping = folder_.path("none.dat");
  EXPECT_EQ(folder_.anonymous(make(options, kLabels, 3).errors),
            "a.ini:5: [fc.Target] LabelsMapping: no file 'DIR/none.dat'\n");
}

}  // namespace
}  // namespace n2d2::data
