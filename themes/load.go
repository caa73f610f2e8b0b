package themes

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model/words"
	"rung/sources/files"
)

//go:embed *.yaml
var builtIn embed.FS

// Default is the theme used when none is chosen: the terminal's own 16 colours.
const Default = "ansi16"

// Adaptive chooses the dark or the light theme by the terminal's background.
const Adaptive = "adaptive"

// maxFile bounds the size of a theme file, in bytes.
const maxFile = 64 << 10

var builtin = func() map[string]*Theme {
	m := map[string]*Theme{}
	entries, _ := builtIn.ReadDir(".")
	for _, e := range entries {
		data, _ := builtIn.ReadFile(e.Name())
		t, wrong := parseTheme(data, strings.TrimSuffix(e.Name(), ".yaml"))
		if len(wrong) == 0 { // guaranteed by TestBuiltin
			m[t.Name] = t
		}
	}
	return m
}()

// parseTheme parses a theme and returns its mistakes; t is nil if nothing is usable.
func parseTheme(data []byte, name string) (t *Theme, wrong []error) {
	t = &Theme{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	var part *yaml.TypeError
	switch err := dec.Decode(t); {
	case errors.As(err, &part): // the rest was decoded
		for _, e := range part.Errors {
			wrong = append(wrong, fmt.Errorf("theme %s.yaml %s", name, plainError(e)))
		}
	case err != nil:
		return nil, []error{fmt.Errorf("theme %s.yaml: not valid YAML: %w", name, err)}
	}
	if t.Name == "" {
		t.Name = name
	}
	return t, wrong
}

// plainError rewrites an error of the YAML library about one line for people.
func plainError(text string) string {
	line, what, _ := strings.Cut(text, ": ")
	if field, ok := strings.CutSuffix(strings.TrimPrefix(what, "field "), " not found in type themes.Theme"); ok {
		what = fmt.Sprintf("unknown setting %q (allowed: name, about, palette, tokens, light)", field)
	} else if value, _, ok := strings.Cut(strings.TrimPrefix(what, "cannot unmarshal "), " into "); ok {
		what = value + " does not fit here (allowed: name and about are text; palette, tokens and light are lists of name: look)"
	}
	return line + ": " + what
}

// ThemeSet holds the built-in themes and the user's.
type ThemeSet struct{ themes map[string]*Theme }

// BuiltinThemes returns the set without the user's themes.
func BuiltinThemes() *ThemeSet { return &ThemeSet{themes: maps.Clone(builtin)} }

// LoadThemes adds the *.yaml files of a folder to the built-in themes. A missing folder is no error; mistakes
// in a file or a token are returned as warnings and the rest is used.
func LoadThemes(dir string) (*ThemeSet, []error) {
	s := BuiltinThemes()
	if dir == "" {
		return s, nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, []error{fmt.Errorf("reading themes: %w", err)}
	}
	var warn []error
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if !ok || e.IsDir() {
			continue
		}
		data, err := files.ReadRegular(filepath.Join(dir, e.Name()), maxFile)
		if errors.Is(err, files.ErrTooLarge) {
			warn = append(warn, fmt.Errorf("theme %s.yaml: not read: larger than %d bytes", name, maxFile))
			continue
		}
		if err != nil {
			warn = append(warn, fmt.Errorf("theme %s.yaml: %w", name, err))
			continue
		}
		t, wrong := parseTheme(data, name)
		warn = append(warn, wrong...)
		if t == nil {
			continue
		}
		warn = append(warn, t.CheckLooks()...)
		s.themes[t.Name] = t
	}
	return s, warn
}

// ThemeNames lists the themes to choose from, Adaptive included.
func (s *ThemeSet) ThemeNames() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(s.themes)), Adaptive)))
}

// HasTheme reports whether a theme of that name exists.
func (s *ThemeSet) HasTheme(name string) bool { return name == Adaptive || s.themes[name] != nil }

// FindStyles returns the styles of a theme for a dark or light background. An unknown name gives the default
// theme.
func (s *ThemeSet) FindStyles(name string, dark bool) *StyleSet {
	if name == Adaptive {
		name = words.Choose(dark, "dark", "light")
	}
	t := s.themes[name]
	if t == nil {
		t = builtin[Default]
	}
	return newStyles(t, dark)
}
