#include "taken_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "n2d2/base/text.hpp"
#include "n2d2/export/file_tree.hpp"

namespace n2d2::targets::cpp {

namespace {

namespace fs = std::filesystem;

constexpr const char* kKeywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export extern "
    "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
    "operator or or_eq private protected public register reinterpret_cast requires return short signed "
    "sizeof static static_assert static_cast struct switch template this thread_local throw true try "
    "typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq ";

/// Macros, functions and types. Forms of one function for other types ("sinf", "strtok_r") are left out:
/// is_form_of_known().
constexpr const char* kLibrary =
    "ACCESSPERMS AIO_PRIO_DELTA_MAX ALLPERMS BIG_ENDIAN BUFSIZ BYTE_ORDER CLOCKS_PER_SEC CSIGNAL "
    "DECIMAL_DIG DEFFILEMODE DELAYTIMER_MAX DIR DTTOIF E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV "
    "EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY "
    "ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ "
    "EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS "
    "EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT "
    "EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE "
    "EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA "
    "ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT "
    "ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK "
    "ENOTSUP ENOTTY ENOTUNIQ ENXIO EOF EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO "
    "EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN "
    "ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN "
    "EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL EXIT_FAILURE EXIT_SUCCESS FILE FILENAME_MAX FOPEN_MAX "
    "HOST_NAME_MAX I IFTODT INFINITY INT16_C INT16_MAX INT16_MIN INT16_WIDTH INT32_C INT32_MAX "
    "INT32_MIN INT32_WIDTH INT64_C INT64_MAX INT64_MIN INT64_WIDTH INT8_C INT8_MAX INT8_MIN INT8_WIDTH "
    "LDBL_MAX LITTLE_ENDIAN LLONG_MAX LLONG_MIN LOGIN_NAME_MAX LONG_MAX LONG_MIN L_ctermid L_cuserid "
    "L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MAXNAMLEN MAX_CANON MAX_INPUT MB_CUR_MAX MQ_PRIO_MAX "
    "NAME_MAX NAN NDEBUG NFDBITS NGROUPS_MAX NULL PATH_MAX PDP_ENDIAN PIPE_BUF P_tmpdir RAND_MAX "
    "RTSIG_MAX SCHAR_MAX SCHAR_MIN SEM_VALUE_MAX SHRT_MAX SHRT_MIN SIGABRT SIGFPE SIGILL SIGINT SIGSEGV "
    "SIGTERM SIZE_MAX SIZE_WIDTH SNAN SNANF SNANF128 SNANF32 SNANF32X SNANF64X SNANL SSIZE_MAX "
    "TIMER_ABSTIME TIME_UTC TMP_MAX TTY_NAME_MAX UCHAR_MAX UINT16_C UINT16_MAX UINT16_WIDTH UINT32_C "
    "UINT32_MAX UINT32_WIDTH UINT64_C UINT64_MAX UINT64_WIDTH UINT8_C UINT8_MAX UINT8_WIDTH UINTPTR_MAX "
    "UINTPTR_WIDTH ULLONG_MAX ULONG_MAX USHRT_MAX UTIME_NOW UTIME_OMIT WCONTINUED WEOF WEXITED "
    "WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WNOHANG WNOWAIT WSTOPPED WSTOPSIG "
    "WTERMSIG WUNTRACED a64l abort abs access acos acosh alarm aligned_alloc alloca alphasort "
    "arc4random arc4random_buf arc4random_uniform asctime asin asinh asprintf assert at_quick_exit atan "
    "atan2 atanh atexit atof atoi atol basename bcmp bcopy be16toh be32toh be64toh "
    "bind_textdomain_codeset bindtextdomain blkcnt64_t blkcnt_t blksize_t bsearch btowc bzero caddr_t "
    "calloc canonicalize canonicalize_file_name cbrt ceil chmod clearenv clearerr clock clock_adjtime "
    "clock_getcpuclockid clock_getres clock_gettime clock_nanosleep clock_settime clock_t clockid_t "
    "clone close closedir comparison_fn_t complex copysign cos cosh cpu_set_t ctermid ctime cuserid "
    "d_fileno daddl daddr_t daylight dcgettext dcngettext ddivl dev_t dfmal dgettext difftime dirent "
    "dirfd div div_t dmull dngettext double_t dprintf drand48 drand48_data drem dsqrtl dsubl dup "
    "duplocale dysize ecvt environ erand48 erf erfc errno error_t exit exp exp10 exp2 explicit_bzero "
    "expm1 fabs fadd fchmod fchmodat fclose fcloseall fcvt fd_mask fd_set fdim fdiv fdopen fdopendir "
    "feof ferror fflush ffma ffs fgetc fgetpos fgets fgetwc fgetws fileno finite float_t flockfile "
    "floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmemopen fmin fminimum "
    "fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul fopen fopencookie fork fpclassify "
    "fpos64_t fpos_t fprintf fputc fputs fputwc fputws fread free freelocale freopen frexp fromfp "
    "fromfpx fsblkcnt64_t fsblkcnt_t fscanf fseek fseeko fsetpos fsfilcnt64_t fsfilcnt_t fsid_t fsqrt "
    "fstat fstatat fsub ftell ftello ftrylockfile funlockfile futimens fwide fwprintf fwrite fwscanf "
    "gamma gcvt getc getchar getcpu getdate getdate_err getdelim getdents64 getdirentries getenv "
    "getline getloadavg getopt getpayload getpid getpt gets getsubopt gettext getumask getw getwc "
    "getwchar gid_t gmtime grantpt htobe16 htobe32 htobe64 htole16 htole32 htole64 hypot i386 id_t "
    "ilogb imaginary index initstate ino64_t ino_t int16_t int32_t int64_t int8_t int_fast16_t "
    "int_fast32_t int_fast64_t int_fast8_t int_least16_t int_least32_t int_least64_t int_least8_t "
    "intmax_t intptr_t isalnum isalpha isascii isatty isblank iscanonical iscntrl isctype isdigit "
    "iseqsig isfinite isgraph isgreater isgreaterequal isinf isless islessequal islessgreater islower "
    "isnan isnormal isprint ispunct issignaling isspace issubnormal isunordered isupper iswalnum "
    "iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper "
    "iswxdigit isxdigit iszero itimerspec j0 j1 jn jrand48 key_t kill l64a labs lchmod lcong48 lconv "
    "ldexp ldiv ldiv_t le16toh le32toh le64toh lgamma link linux llabs lldiv lldiv_t llogb llrint "
    "llround locale_t localeconv localtime loff_t log log10 log1p log2 logb longjmp lrand48 lrint "
    "lround lstat main malloc math_errhandling max_align_t mblen mbrlen mbrtowc mbsinit mbsnrtowcs "
    "mbsrtowcs mbstate_t mbstowcs mbtowc memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy "
    "memrchr memset mkdir mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkostemp mkostemps mkstemp "
    "mkstemps mktemp mktime mode_t modf mrand48 nan nanosleep nearbyint newlocale nextafter nextdown "
    "nexttoward nextup ngettext nlink_t noreturn nrand48 obstack obstack_printf obstack_vprintf off64_t "
    "off_t offsetof on_exit open open_memstream open_wmemstream opendir pause pclose perror pid_t pipe "
    "popen posix_memalign posix_openpt pow printf program_invocation_name program_invocation_short_name "
    "pselect ptrdiff_t ptsname putc putchar putenv puts putw putwc putwchar qecvt qfcvt qgcvt qsort "
    "quad_t quick_exit raise rand random random_data rawmemchr read readdir realloc reallocarray "
    "realpath register_t remainder remove remquo rename renameat renameat2 rewind rewinddir rindex rint "
    "round roundeven rpmatch scalb scalbln scalbn scandir scandirat scanf secure_getenv seed48 seekdir "
    "select setbuf setbuffer setenv setjmp setlinebuf setlocale setns setpayload setpayloadsig setstate "
    "setvbuf sigevent signal signbit signgam significand sigset_t sin sincos sinh size_t sleep snprintf "
    "sprintf sqrt srand srand48 srandom sscanf ssize_t st_atime st_ctime st_mtime stat statx "
    "statx_timestamp std stderr stdin stdout stpcpy stpncpy strcasecmp strcasestr strcat strchr "
    "strchrnul strcmp strcoll strcpy strcspn strdup strdupa strerror strfromd strfromf strfromf32 "
    "strfromf32x strfromf64x strfroml strfry strftime strlen strncasecmp strncat strncmp strncpy "
    "strndup strndupa strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof "
    "strtof32 strtof32x strtof64x strtok strtol strtold strtoq strtoul strtouq strverscmp strxfrm "
    "suseconds_t swprintf swscanf system tan tanh telldir tempnam textdomain tgamma time time_t timegm "
    "timelocal timer_create timer_delete timer_getoverrun timer_gettime timer_settime timer_t timespec "
    "timespec_get timespec_getres timeval timex timezone tm tmpfile tmpnam toascii tolower totalorder "
    "totalordermag toupper towctrans towlower towupper trunc tzname tzset u_char u_int u_int16_t "
    "u_int32_t u_int64_t u_int8_t u_long u_quad_t u_short ufromfp ufromfpx uid_t uint uint16_t uint32_t "
    "uint64_t uint8_t uint_fast16_t uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t "
    "uint_least32_t uint_least64_t uint_least8_t uintmax_t uintptr_t ulong umask ungetc ungetwc unix "
    "unlink unlockpt unsetenv unshare useconds_t uselocale ushort usleep utimensat va_arg va_copy "
    "va_end va_list va_start valloc vasprintf vdprintf versionsort vfprintf vfscanf vfwprintf vfwscanf "
    "vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wait wcpcpy wcpncpy "
    "wcrtomb wcscasecmp wcscat wcschr wcschrnul wcscmp wcscoll wcscpy wcscspn wcsdup wcsftime wcslen "
    "wcsncasecmp wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr "
    "wcstod wcstof wcstof32 wcstof32x wcstof64x wcstok wcstol wcstold wcstombs wcstoq wcstoul wcstouq "
    "wcswcs wcswidth wcsxfrm wctob wctomb wctrans wctrans_t wctype wctype_t wcwidth wint_t wmemchr "
    "wmemcmp wmemcpy wmemmove wmempcpy wmemset wprintf write wscanf y0 y1 yn ";

/// Macros in capitals that begin alike, before their first '_'.
constexpr const char* kFamilies =
    "ADJ CHAR CLOCK CLONE CPU DBL DT FD FLT FP HUGE INT INTMAX INTPTR KMP LC LDBL M MOD PTHREAD PTRDIFF "
    "RENAME S SCHED SEEK SIG STA STATX UINT UINTMAX WCHAR WINT XATTR ";

constexpr std::array kPrefixes{"bit_",  "cookie_",  "kmp_",   "llvm_omp_", "omp_",
                               "ompc_", "pthread_", "sched_", "signature_"};
constexpr std::array kFormSuffixes{"f",    "l",  "f32", "f32x",      "f64", "f64x",
                                   "f128", "_r", "_l",  "_unlocked", "64"};

std::set<std::string, std::less<>> set_of(const char* list) {
  const std::vector<std::string> all = words(list);
  return {all.begin(), all.end()};
}

bool is_form_of_known(std::string_view name, const std::set<std::string, std::less<>>& known) {
  return std::any_of(kFormSuffixes.begin(), kFormSuffixes.end(), [&](std::string_view suffix) {
    return name.ends_with(suffix) && known.contains(name.substr(0, name.size() - suffix.size()));
  });
}

bool is_of_library(std::string_view name) {
  static const auto known = set_of(kLibrary), families = set_of(kFamilies);
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const size_t line = name.find('_');
  const bool goes_on_in_capitals = line != std::string_view::npos && line + 1 < name.size() &&
                                   std::islower(static_cast<unsigned char>(name[line + 1])) == 0;
  return known.contains(name) || is_form_of_known(name, known) ||
         (goes_on_in_capitals && families.contains(name.substr(0, line))) ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), begins);
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// What a source of C++ declares outside of functions, classes and parentheses, and its macros. Reads tokens,
/// no grammar: types and what else stands in a declaration are among the names.
class DeclaredNames {
 public:
  explicit DeclaredNames(std::set<std::string, std::less<>>& names) : names_(names) {}

  void read(std::string_view text) {
    text_ = text;
    for (at_ = 0; at_ < text_.size();) step();
  }

 private:
  void step() {
    const char c = text_[at_];
    if (text_.substr(at_).starts_with("//"))
      skip_to('\n');
    else if (text_.substr(at_).starts_with("{{"))
      skip_to('}');
    else if (c == '#')
      directive();
    else if (c == '"' || c == '\'')
      literal(c);
    else if (is_word_character(c))
      word();
    else
      mark(c), ++at_;
  }

  void skip_to(char end) {
    while (at_ < text_.size() && text_[at_] != end) ++at_;
    while (at_ < text_.size() && text_[at_] == '}') ++at_;
  }

  void literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }

  std::string next_word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  void directive() {
    constexpr std::string_view kDefine = "#define ";
    if (text_.substr(at_).starts_with(kDefine)) {
      at_ += kDefine.size();
      names_.insert(next_word());
    }
    while (at_ < text_.size() && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
  }

  void word() {
    const std::string name = next_word();
    if (hidden_ > 0) return;
    opens_scope_ = opens_scope_ || name == "namespace" || name == "enum" || name == "extern";
    if (parentheses_ == 0) names_.insert(name);
  }

  void mark(char c) {
    if (c == '{') {
      const bool hides = hidden_ > 0 || !opens_scope_ || parentheses_ > 0;
      hidden_ += hides ? 1 : 0;
    } else if (c == '}') {
      hidden_ -= hidden_ > 0 ? 1 : 0;
    }
    if (hidden_ > 0) return;
    if (c == '(') ++parentheses_;
    if (c == ')' && parentheses_ > 0) --parentheses_;
    if (c == ';' || c == '{' || c == '}') opens_scope_ = false;
  }

  std::set<std::string, std::less<>>& names_;
  std::string_view text_;
  size_t at_ = 0;
  int hidden_ = 0,
      parentheses_ = 0;       ///< blocks whose names nobody else sees; open parentheses outside of them
  bool opens_scope_ = false;  ///< a brace opens one whose names are seen
};

std::set<std::string, std::less<>> names_of_export() {
  std::set<std::string, std::less<>> out;
  for (const fs::path& folder : {exporter::shipped("src/targets/cpp/static"),
                                 exporter::shipped("src/targets/cpp/templates"), exporter::kernel_sources()})
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".cpp" || extension == ".hpp" || extension == ".h" || extension == ".mustache")
        DeclaredNames(out).read(exporter::read_file(entry.path()));
    }
  out.erase("N2D2_Export");  // stands for the namespace
  return out;
}

}  // namespace

std::string taken_by(std::string_view name) {
  static const auto keywords = set_of(kKeywords);
  if (keywords.contains(name)) return "a keyword of C++";
  if (name.starts_with('_') || name.find("__") != std::string_view::npos) return "reserved for compilers";
  if (is_of_library(name)) return "a name of the C library";
  if (names_of_export().contains(name)) return "a name that the export uses";
  return {};
}

}  // namespace n2d2::targets::cpp
