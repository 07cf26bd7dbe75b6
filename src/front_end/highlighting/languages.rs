//! The languages that are highlighted: a row for each, with its names in fences and class attributes.

use std::{collections::HashMap, sync::LazyLock};

use super::language::{Language, Quotes, Syntax, Words};

const DOUBLE: Quotes = Quotes {
    begin: "\"",
    end: "\"",
    has_escapes: true,
    has_lines: false,
};
const SINGLE: Quotes = Quotes {
    begin: "'",
    end: "'",
    ..DOUBLE
};
const BACKTICKS: Quotes = Quotes {
    begin: "`",
    end: "`",
    has_escapes: true,
    has_lines: true,
};
const RAW_BACKTICKS: Quotes = Quotes {
    has_escapes: false,
    ..BACKTICKS
};
const LONG_DOUBLE: Quotes = Quotes {
    has_lines: true,
    ..DOUBLE
};
const LONG_SINGLE: Quotes = Quotes {
    has_lines: true,
    ..SINGLE
};
/// Strings of SQL. A doubled quote is read as the end of a string and the start of the next.
const PLAIN_SINGLE: Quotes = Quotes {
    has_escapes: false,
    has_lines: true,
    ..SINGLE
};
const TRIPLE_DOUBLE: Quotes = Quotes {
    begin: "\"\"\"",
    end: "\"\"\"",
    has_escapes: true,
    has_lines: true,
};
const TRIPLE_SINGLE: Quotes = Quotes {
    begin: "'''",
    end: "'''",
    ..TRIPLE_DOUBLE
};

const NONE: Language = Language {
    syntax: Syntax::Words,
    line_comments: &[],
    comments_follow_space: false,
    comments: &[],
    quotes: &[DOUBLE, SINGLE],
    name_characters: "",
    sigils: "",
    has_types: false,
    has_keys: false,
    ignores_case: false,
    keywords: "",
    constants: "",
};
/// The family of C: comments with slashes, and names of types that begin with a capital letter.
const C_LIKE: Language = Language {
    line_comments: &["//"],
    comments: &[("/*", "*/")],
    has_types: true,
    constants: "true false null",
    ..NONE
};
const MARKUP: Language = Language {
    syntax: Syntax::Markup,
    ..NONE
};
const HASH_KEYS: Language = Language {
    syntax: Syntax::Keys,
    line_comments: &["#"],
    comments_follow_space: true,
    constants: "true false null yes no on off",
    ..NONE
};
const SHELL: Language = Language {
    line_comments: &["#"],
    comments_follow_space: true,
    quotes: &[LONG_DOUBLE, PLAIN_SINGLE],
    sigils: "$",
    name_characters: "-",
    keywords: "if then else elif fi for while until do done case esac in function select return break continue exit \
        local export readonly declare unset set shift source alias eval exec trap sudo cd echo",
    constants: "true false",
    ..NONE
};

/// The languages with their names.
const LANGUAGES: &[(&str, Language)] = &[
    (
        "bash sh shell zsh ksh console shell-session terminal",
        SHELL,
    ),
    (
        "fish",
        Language {
            keywords: "if else end for while in function begin switch case return break continue set and or not",
            ..SHELL
        },
    ),
    (
        "c h",
        Language {
            sigils: "#",
            keywords: "auto break case char const continue default do double else enum extern float for goto if inline int \
                long register restrict return short signed sizeof static struct switch typedef union unsigned void \
                volatile while bool",
            constants: "true false NULL nullptr",
            ..C_LIKE
        },
    ),
    (
        "cpp c++ cc cxx hpp objective-c objc cuda",
        Language {
            sigils: "#",
            keywords: "alignas alignof auto bool break case catch char class concept const consteval constexpr constinit \
                const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum \
                explicit export extern final float for friend goto if inline int long mutable namespace new noexcept \
                operator override private protected public register reinterpret_cast requires return short signed sizeof \
                static static_assert static_cast struct switch template this thread_local throw try typedef typeid \
                typename union unsigned using virtual void volatile while",
            constants: "true false NULL nullptr nil YES NO",
            ..C_LIKE
        },
    ),
    (
        "csharp cs c# dotnet",
        Language {
            keywords: "abstract as async await base bool break byte case catch char checked class const continue decimal \
                default delegate do double else enum event explicit extern finally fixed float for foreach get goto if \
                implicit in init int interface internal is lock long namespace new object operator out override params \
                private protected public readonly record ref required return sbyte sealed set short sizeof stackalloc \
                static string struct switch this throw try typeof uint ulong unchecked unsafe ushort using var virtual \
                void volatile when where while with yield",
            ..C_LIKE
        },
    ),
    (
        "css scss sass less postcss stylus",
        Language {
            line_comments: &[],
            name_characters: "-",
            sigils: "@$#",
            has_types: false,
            has_keys: true,
            keywords: "important from to and not only screen print",
            constants: "inherit initial unset none auto",
            ..C_LIKE
        },
    ),
    (
        "dart",
        Language {
            quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
            sigils: "@",
            keywords: "abstract as assert async await base break case catch class const continue covariant default deferred \
                do dynamic else enum export extends extension external factory final finally for get hide if implements \
                import in interface is late library mixin new of on operator part required rethrow return sealed set show \
                static super switch sync this throw try typedef var void when while with yield int double num bool",
            ..C_LIKE
        },
    ),
    (
        "diff patch",
        Language {
            syntax: Syntax::Changes,
            ..NONE
        },
    ),
    (
        "dockerfile docker containerfile",
        Language {
            keywords: "FROM AS RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL \
                HEALTHCHECK SHELL MAINTAINER",
            ..SHELL
        },
    ),
    (
        "elixir ex exs",
        Language {
            line_comments: &["#"],
            quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
            name_characters: "?!",
            sigils: "@:",
            has_types: true,
            keywords: "after and case catch cond def defdelegate defexception defguard defimpl defmacro defmodule defp \
                defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue reraise \
                super throw try unless unquote use when with alias",
            constants: "true false nil",
            ..NONE
        },
    ),
    (
        "go golang",
        Language {
            quotes: &[DOUBLE, SINGLE, RAW_BACKTICKS],
            keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface \
                map package range return select struct switch type var any bool byte complex64 complex128 error float32 \
                float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
            constants: "true false nil iota",
            ..C_LIKE
        },
    ),
    (
        "graphql gql",
        Language {
            line_comments: &["#"],
            quotes: &[TRIPLE_DOUBLE, DOUBLE],
            sigils: "$@",
            has_types: true,
            has_keys: true,
            keywords: "query mutation subscription fragment on type input enum interface union scalar schema extend \
                implements directive",
            constants: "true false null",
            ..NONE
        },
    ),
    (
        "haskell hs elm purescript",
        Language {
            line_comments: &["--"],
            comments: &[("{-", "-}")],
            quotes: &[DOUBLE],
            name_characters: "'",
            has_types: true,
            keywords: "case class data deriving do else family forall hiding if import in infix infixl infixr \
                instance let module newtype of qualified then type where port exposing as",
            ..NONE
        },
    ),
    (
        "html xhtml xml svg rss vue svelte astro handlebars hbs mustache liquid jinja jinja2 twig njk nunjucks ejs erb \
            html+erb django plist",
        MARKUP,
    ),
    (
        "java groovy gradle",
        Language {
            quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
            sigils: "@",
            keywords: "abstract assert boolean break byte case catch char class const continue def default do double else \
                enum exports extends final finally float for goto if implements import instanceof int interface long \
                module native new non-sealed package permits private protected public record requires return sealed short \
                static strictfp super switch synchronized this throw throws transient try var void volatile while yield",
            ..C_LIKE
        },
    ),
    (
        "javascript js jsx mjs cjs typescript ts tsx mts cts node",
        Language {
            quotes: &[BACKTICKS, DOUBLE, SINGLE],
            name_characters: "$",
            sigils: "@",
            keywords: "abstract any as async await bigint boolean break case catch class const continue debugger declare \
                default delete do else enum export extends finally for from function get if implements import in infer \
                instanceof interface is keyof let namespace never new number object of override private protected public \
                readonly return satisfies set static string super switch symbol this throw try type typeof unknown var \
                void while with yield",
            constants: "true false null undefined NaN Infinity",
            ..C_LIKE
        },
    ),
    (
        "json json5 jsonc webmanifest",
        Language {
            has_types: false,
            has_keys: true,
            ..C_LIKE
        },
    ),
    (
        "kotlin kt kts",
        Language {
            quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
            sigils: "@",
            keywords: "abstract actual annotation as break by catch class companion const constructor continue crossinline \
                data do dynamic else enum expect external final finally for fun get if import in infix init inline inner \
                interface internal is lateinit noinline object open operator out override package private protected \
                public reified return sealed set super suspend tailrec this throw try typealias val value var vararg \
                when where while",
            ..C_LIKE
        },
    ),
    (
        "lisp elisp emacs-lisp common-lisp scheme clojure clj cljs racket",
        Language {
            line_comments: &[";"],
            quotes: &[LONG_DOUBLE],
            name_characters: "-?!*/<>=+.",
            sigils: ":",
            keywords: "def defn defun defmacro defvar defparameter define let let* letrec lambda fn if cond when unless \
                case do loop recur progn begin setq set! quote ns require import and or not",
            constants: "true false nil t",
            ..NONE
        },
    ),
    (
        "lua",
        Language {
            line_comments: &["--"],
            comments: &[("--[[", "]]")],
            keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
            constants: "true false nil",
            ..NONE
        },
    ),
    (
        "makefile make mk just justfile",
        Language {
            keywords: "define endef else endif ifdef ifeq ifndef ifneq include override export unexport vpath",
            ..SHELL
        },
    ),
    (
        "nginx nginxconf caddyfile apache apacheconf",
        Language {
            line_comments: &["#"],
            comments_follow_space: true,
            sigils: "$@",
            name_characters: "-",
            keywords: "server location upstream http events listen server_name root index return rewrite if set include \
                proxy_pass proxy_set_header try_files add_header error_page ssl_certificate ssl_certificate_key \
                reverse_proxy file_server encode handle route respond redir",
            constants: "on off",
            ..NONE
        },
    ),
    (
        "nix",
        Language {
            line_comments: &["#"],
            comments: &[("/*", "*/")],
            quotes: &[
                Quotes {
                    begin: "''",
                    end: "''",
                    has_escapes: false,
                    has_lines: true,
                },
                LONG_DOUBLE,
            ],
            name_characters: "-'",
            keywords: "assert else if in inherit import let or rec then with",
            constants: "true false null",
            ..NONE
        },
    ),
    (
        "perl pl pm raku",
        Language {
            line_comments: &["#"],
            comments_follow_space: true,
            quotes: &[LONG_DOUBLE, LONG_SINGLE],
            sigils: "$@%",
            keywords: "and continue do else elsif eq for foreach if last local my ne next no not or our package print \
                redo require return say sub unless until use while",
            constants: "undef",
            ..NONE
        },
    ),
    (
        "php",
        Language {
            line_comments: &["//", "#"],
            quotes: &[LONG_DOUBLE, LONG_SINGLE],
            sigils: "$",
            keywords: "abstract and array as bool break callable case catch class clone const continue declare default do \
                echo else elseif enum extends final finally float fn for foreach function global goto if implements \
                include include_once instanceof insteadof int interface isset match mixed namespace new object or print \
                private protected public readonly require require_once return self static string switch throw trait try \
                unset use var void while xor yield",
            ..C_LIKE
        },
    ),
    (
        "powershell ps1 pwsh",
        Language {
            line_comments: &["#"],
            comments: &[("<#", "#>")],
            quotes: &[
                Quotes {
                    has_escapes: false,
                    ..LONG_DOUBLE
                },
                PLAIN_SINGLE,
            ],
            name_characters: "-",
            sigils: "$",
            ignores_case: true,
            keywords: "begin break catch class continue do else elseif end enum exit filter finally for foreach from \
                function if in param process return switch throw trap try until using while",
            ..NONE
        },
    ),
    (
        "prisma protobuf proto",
        Language {
            sigils: "@",
            keywords: "model enum datasource generator type message service rpc returns syntax package import option \
                repeated optional required oneof map string int32 int64 uint32 uint64 bool bytes double float",
            ..C_LIKE
        },
    ),
    (
        "python py python3 py3 pycon starlark bzl mojo",
        Language {
            line_comments: &["#"],
            quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
            sigils: "@",
            has_types: true,
            keywords: "and as assert async await break case class continue def del elif else except finally for from \
                global if import in is lambda match nonlocal not or pass raise return try while with yield self",
            constants: "True False None",
            ..NONE
        },
    ),
    (
        "r",
        Language {
            line_comments: &["#"],
            name_characters: ".",
            keywords: "break else for function if in next repeat return while library",
            constants: "TRUE FALSE NULL NA NaN Inf",
            ..NONE
        },
    ),
    (
        "ruby rb jruby crystal",
        Language {
            line_comments: &["#"],
            comments: &[("=begin", "=end")],
            quotes: &[LONG_DOUBLE, LONG_SINGLE],
            name_characters: "?!",
            sigils: "@:$",
            has_types: true,
            keywords: "alias and begin break case class def defined? do else elsif end ensure extend for if in include \
                module next not or private protected public raise redo require require_relative rescue retry return self \
                super then undef unless until when while yield attr_accessor attr_reader attr_writer",
            constants: "true false nil",
            ..NONE
        },
    ),
    (
        "rust rs",
        Language {
            // A single quote begins a lifetime or a character; `tokens` distinguishes them.
            quotes: &[LONG_DOUBLE],
            sigils: "#'",
            keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod \
                move mut pub ref return self Self static struct super trait type union unsafe use where while bool char f32 \
                f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
            constants: "true false",
            ..C_LIKE
        },
    ),
    (
        "scala",
        Language {
            quotes: &[TRIPLE_DOUBLE, DOUBLE],
            sigils: "@",
            keywords: "abstract case catch class def do else enum export extends extension final finally for given if \
                implicit import inline lazy match new object opaque override package private protected return sealed \
                super then this throw trait try type using val var while with yield",
            ..C_LIKE
        },
    ),
    (
        "sql mysql postgresql postgres pgsql plpgsql sqlite tsql",
        Language {
            line_comments: &["--"],
            comments: &[("/*", "*/")],
            quotes: &[PLAIN_SINGLE, DOUBLE, RAW_BACKTICKS],
            ignores_case: true,
            keywords: "add all alter and any as asc begin between by cascade case check column commit constraint create \
                cross database default delete desc distinct drop each else end exists explain foreign from full function \
                grant group having if in index inner insert intersect into is join key left like limit not of offset on \
                or order outer over partition primary procedure references replace returning returns revoke right \
                rollback select set table then transaction trigger truncate union unique update using values view when \
                where with bigint bool boolean char date decimal double float int integer json jsonb numeric real serial \
                smallint text time timestamp uuid varchar",
            constants: "true false null",
            ..NONE
        },
    ),
    (
        "swift",
        Language {
            quotes: &[TRIPLE_DOUBLE, DOUBLE],
            sigils: "@#",
            keywords: "actor any as associatedtype async await break case catch class continue default defer deinit do \
                else enum extension fallthrough fileprivate final for func get guard if import in init inout internal is \
                lazy let mutating open operator override private protocol public repeat required rethrows return self \
                Self set some static struct subscript super switch throw throws try typealias unowned var weak where \
                while",
            constants: "true false nil",
            ..C_LIKE
        },
    ),
    (
        "terraform tf hcl",
        Language {
            line_comments: &["#", "//"],
            keywords: "resource data variable output provider module locals terraform for in if dynamic content moved import",
            ..C_LIKE
        },
    ),
    (
        "toml ini cfg conf editorconfig properties dotenv env desktop systemd gitconfig",
        HASH_KEYS,
    ),
    ("yaml yml", HASH_KEYS),
    (
        "zig",
        Language {
            sigils: "@",
            keywords: "addrspace align allowzero and anyframe anytype asm break callconv catch comptime const continue \
                defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend \
                opaque or orelse pub resume return struct suspend switch test threadlocal try union unreachable \
                usingnamespace var volatile while bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 void type",
            constants: "true false null undefined",
            ..C_LIKE
        },
    ),
];

/// Returns the language with a name, ignoring case; `None` for an unknown name or plain text.
pub fn by_name(name: &str) -> Option<&'static Words> {
    static BY_NAME: LazyLock<HashMap<&str, &'static Words>> = LazyLock::new(|| {
        static ROWS: LazyLock<Vec<Words>> = LazyLock::new(|| {
            LANGUAGES
                .iter()
                .map(|(_, language)| Words::new(language))
                .collect()
        });
        let names = LANGUAGES
            .iter()
            .map(|(names, _)| names.split_ascii_whitespace());
        let rows = names.zip(ROWS.iter());
        rows.flat_map(|(names, row)| names.map(move |name| (name, row)))
            .collect()
    });
    BY_NAME.get(name.to_ascii_lowercase().as_str()).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_name_has_one_language() {
        let mut seen = HashSet::new();
        let names = LANGUAGES
            .iter()
            .flat_map(|(names, _)| names.split_ascii_whitespace());
        for name in names {
            assert!(seen.insert(name), "{name} is the name of two languages");
            assert_eq!(
                name,
                name.to_ascii_lowercase(),
                "names are looked up in lower case"
            );
        }
    }

    #[test]
    fn languages_are_found_by_names_of_fences_in_any_case() {
        assert!(by_name("Rust").is_some_and(|words| words.is_keyword("fn")));
        assert!(by_name("SQL").is_some_and(|words| words.is_keyword("SELECT")));
        assert!(by_name("text").is_none());
        assert!(by_name("").is_none());
    }
}
