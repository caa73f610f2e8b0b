package term

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Profile is how many colours the terminal says it has.
type Profile int

const (
	TrueColor Profile = iota // 24 bits
	ANSI256                  // the 256 indexed colours
	ANSI16                   // the 16 colours of the palette
	NoColor                  // NO_COLOR is set; bold and reverse remain
)

// env returns the variables that announce the profile to a program.
func (p Profile) env() []string {
	switch p {
	case ANSI256:
		return []string{"TERM=xterm-256color"}
	case ANSI16:
		return []string{"TERM=xterm"}
	case NoColor:
		return []string{"TERM=xterm-256color", "NO_COLOR=1"}
	default:
		return []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	}
}

// String names the profile as the option --color does.
func (p Profile) String() string {
	switch p {
	case TrueColor:
		return "truecolor"
	case ANSI256:
		return "256"
	case ANSI16:
		return "16"
	case NoColor:
		return "never"
	}
	return fmt.Sprintf("Profile(%d)", int(p))
}

// Options say what to run and in which terminal.
type Options struct {
	Path string   // the program
	Args []string // its arguments, without the program's name
	Dir  string   // working folder; empty is the caller's

	// Env is added to a small, clean environment: PATH, TMPDIR and what the Go
	// tools need are the caller's; HOME and the XDG folders lie in Home; the
	// language is English in UTF-8, the time zone UTC.
	Env []string

	// Home is the folder for HOME and the XDG folders. Empty makes one with a
	// short name (socket paths are limited to about 100 bytes) and removes it
	// on Close.
	Home string

	Width, Height int // cells; 0 is 120 and 34
	Profile       Profile
	Light         bool // the terminal's background is light

	// Watch lists texts whose first appearance is noted from the first byte on;
	// Terminal.Seen says when.
	Watch []string
}

// kept are the caller's variables that a program under test still gets.
var kept = []string{"PATH", "TMPDIR", "TMP", "TEMP", "SystemRoot", "GOCOVERDIR", "GORACE", "GOTRACEBACK", "GODEBUG"}

// environment builds the variables of the program. The last of two equal names
// wins.
func (o Options) environment(home string) []string {
	var env []string
	for _, name := range kept {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	env = append(env,
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC",
		"HOME="+home,
		"XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"XDG_STATE_HOME="+filepath.Join(home, "state"),
		"XDG_DATA_HOME="+filepath.Join(home, "data"),
		"XDG_CACHE_HOME="+filepath.Join(home, "cache"),
		"XDG_RUNTIME_DIR="+filepath.Join(home, "run"),
	)
	env = append(env, o.Profile.env()...)
	env = append(env, o.Env...)

	var out []string
	for i, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		later := slices.ContainsFunc(env[i+1:], func(other string) bool {
			return strings.HasPrefix(other, name+"=")
		})
		if !later {
			out = append(out, kv)
		}
	}
	return out
}

// makeHome prepares the folders of the environment. remove takes away what was
// made here.
func (o Options) makeHome() (home string, remove func() error, err error) {
	home, remove = o.Home, func() error { return nil }
	if home == "" {
		home, err = os.MkdirTemp("", "rt")
		if err != nil {
			return "", nil, fmt.Errorf("making a home folder: %w", err)
		}
		made := home
		remove = func() error { return os.RemoveAll(made) }
	}
	// The runtime folder must exist and be private; the others the program makes.
	if err := os.MkdirAll(filepath.Join(home, "run"), 0o700); err != nil {
		return "", nil, fmt.Errorf("making the runtime folder: %w", err)
	}
	return home, remove, nil
}
