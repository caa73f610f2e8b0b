package config

import (
	"fmt"
	"slices"
	"strings"

	"rung/model/clean"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
)

// Config is the part of the configuration file that is about the screen.
type Config struct {
	// Theme is the name of a theme, "adaptive" to follow the background.
	Theme string `yaml:"theme"`
	// Color is auto, always, never, 16, 256 or truecolor.
	Color string `yaml:"color"`
	// ASCII draws lines and marks with plain characters.
	ASCII bool `yaml:"ascii"`
	// Mouse takes the mouse; nil is yes.
	Mouse *bool `yaml:"mouse"`
	// Keys gives actions other keys, by id.
	Keys map[string][]string `yaml:"keys"`
	// Start is the page to begin with: ladder, rows, zones, logs, activity or
	// plan.
	Start string `yaml:"start"`
	// Contexts are settings of clusters; the command line reads them.
	Contexts map[string]struct {
		Write bool `yaml:"write"`
	} `yaml:"contexts"`
	// Protected are namespaces that guard rails protect; the command line reads them.
	Protected []string `yaml:"protected"`
	// APIRelease is the release whose CRDs judge files; the command line reads it.
	APIRelease string `yaml:"api-release"`

	// file is where it was read from, lines where its settings stand there, and
	// problems what is wrong with it.
	file     string
	lines    map[string]int
	problems []string
}

// starts are the pages one can begin with.
var starts = []string{"ladder", "rows", "zones", "logs", "activity", "plan"}

// CheckAll returns all errors of the configuration: where, what, and what is
// allowed. A setting that is wrong is left out and never fatal.
func (c *Config) CheckAll(set *themes.ThemeSet) []string {
	problems := slices.Clone(c.problems)
	say := func(key, format string, args ...any) {
		problems = append(problems, clean.Text(c.settingPlace(key)+key+": "+fmt.Sprintf(format, args...)))
	}
	if c.Theme != "" && !set.HasTheme(c.Theme) {
		say("theme", "no theme %q (allowed: %s)", c.Theme, strings.Join(set.ThemeNames(), ", "))
	}
	if _, _, err := themes.ColourProfile(c.Color, func(string) string { return "" }); err != nil {
		say("color", "no colour mode %q (allowed: %s)", c.Color, strings.Join(themes.ColorModes, ", "))
	}
	if c.Start != "" && !slices.Contains(starts, c.Start) {
		say("start", "%q is not a page to start with (allowed: %s)", c.Start, strings.Join(starts, ", "))
	}
	_, wrong := action.NewKeymap(c.Keys)
	for _, w := range wrong {
		problems = append(problems, clean.Text(c.settingPlace("keys."+string(w.ID))+w.String()))
	}
	return problems
}

// StartPage is the page to begin with, the ladder where none is named or a wrong one.
func (c *Config) StartPage() nav.Page {
	if slices.Contains(starts, c.Start) {
		return nav.PageOf(nav.PageKind(c.Start))
	}
	return nav.PageOf(nav.Ladder)
}
