package ui

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/model/words"
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
	// Mouse turns the mouse on; nil means yes.
	Mouse *bool `yaml:"mouse"`
	// Keys gives actions other keys, by id.
	Keys map[string][]string `yaml:"keys"`
	// Start is the page to begin with, or "view NAME".
	Start string `yaml:"start"`
	// StillMotion stops all motion on the screen except clocks.
	StillMotion bool `yaml:"reduced-motion"`
	// Aliases map further names to palette texts, Hotkeys map keys to palette texts.
	Aliases map[string]string `yaml:"aliases"`
	Hotkeys map[string]string `yaml:"hotkeys"`
	// Views are saved views by name: pages with a filter, a sort order and columns.
	Views map[string]SavedView `yaml:"views"`
	// Contexts are settings of clusters, by kubeconfig context. The command line reads those not about the
	// screen.
	Contexts map[string]ContextSettings `yaml:"contexts"`
	// Protected are namespaces that guard rails protect; the command line reads them.
	Protected []string `yaml:"protected"`
	// APIRelease is the release whose CRDs judge files; the command line reads it.
	APIRelease string `yaml:"api-release"`

	// file is the path it was read from, lines the line of each setting, problems the errors in it.
	file     string
	lines    map[string]int
	problems []string
	// themeGiven: the theme came from the command line and applies in every context.
	themeGiven bool
}

// SavedView is a page with a filter, a sort order and columns.
type SavedView struct {
	Page   string
	Filter string
	Sort   string // the title of a column, "-" before it for descending
	Wide   bool   // also show columns that are normally hidden
	// Columns names columns of log lines.
	Columns []string
}

// ContextSettings are the settings of a kubeconfig context.
type ContextSettings struct {
	Write    bool   `yaml:"write"`
	ReadOnly bool   `yaml:"readonly"`
	Theme    string `yaml:"theme"`
}

// viewWord precedes the name of a saved view, in the palette and in the setting "start".
const viewWord = "view "

// ViewPage returns the page of a saved view; ok is false if the view is missing or its page invalid.
func (c *Config) ViewPage(name string) (p nav.Page, ok bool) {
	v, ok := c.Views[name]
	if !ok || !isAlone(v.Page) {
		return nav.Page{}, false
	}
	return nav.Page{Kind: nav.PageKind(v.Page), Text: v.Filter, View: name}, true
}

// FindView returns the page of a saved view, else the page with that name.
func (c *Config) FindView(name string) (nav.Page, error) {
	if p, ok := c.ViewPage(name); ok {
		return p, nil
	}
	if isAlone(name) {
		return nav.NewPage(nav.PageKind(name)), nil
	}
	if name == readyPage {
		return nav.Page{}, errors.New("--view " + name + " " + readyText)
	}
	saved := strings.Join(slices.Sorted(maps.Keys(c.Views)), ", ")
	return nav.Page{}, fmt.Errorf("--view %s: no such view (saved in %s: %s; pages: %s)", words.CleanText(name), c.file, cmp.Or(saved, "none"),
		pagesText())
}

func isAlone(page string) bool { return slices.Contains(nav.Alone, nav.PageKind(page)) }

// readyPage is a page of older releases; readyText names the page that replaced it.
const (
	readyPage = "ready"
	readyText = "was replaced by the column REPORTED of the page zones: use zones"
)

// pagesText lists the pages with which the console can start.
func pagesText() string {
	var names []string
	for _, k := range nav.Alone {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// ContextTheme returns the theme of a context, else the theme of all contexts.
func (c *Config) ContextTheme(context string) string {
	if own := c.Contexts[context].Theme; own != "" && !c.themeGiven {
		return own
	}
	return c.Theme
}

// CheckAll returns all errors of the configuration: place, problem, allowed values. A wrong setting is
// ignored, never fatal.
func (c *Config) CheckAll(set *themes.ThemeSet) []string {
	problems := slices.Clone(c.problems)
	say := func(key, format string, args ...any) {
		problems = append(problems, words.CleanText(c.settingPlace(key)+key+": "+fmt.Sprintf(format, args...)))
	}
	if c.Theme != "" && !set.HasTheme(c.Theme) {
		say("theme", "no theme %q (allowed: %s)", c.Theme, strings.Join(set.ThemeNames(), ", "))
	}
	if _, _, err := themes.ColourProfile(c.Color, func(string) string { return "" }); err != nil {
		say("color", "no colour mode %q (allowed: %s)", c.Color, strings.Join(themes.ColorModes, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Views)) {
		if page := c.Views[name].Page; page == readyPage {
			say("views."+name, "%q %s", page, readyText)
		} else if !isAlone(page) {
			say("views."+name, "%q is not a page (allowed: %s)", page, pagesText())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Contexts)) {
		if theme := c.Contexts[name].Theme; theme != "" && !set.HasTheme(theme) {
			say("contexts."+name+".theme", "no theme %q (allowed: %s)", theme, strings.Join(set.ThemeNames(), ", "))
		}
	}
	if _, ok := c.startPage(); !ok && c.Start == readyPage {
		say("start", "%q %s", c.Start, readyText)
	} else if !ok {
		say("start", "%q is not a start page (allowed: %s, or view NAME)", c.Start, pagesText())
	}
	_, wrong := c.Keymap()
	for _, w := range wrong {
		problems = append(problems, words.CleanText(c.settingPlace(w.Setting())+w.String()))
	}
	return problems
}

// Keymap makes the keymap with the keys and hotkeys of the configuration, and returns their errors.
func (c *Config) Keymap() (*action.Keymap, []action.KeyProblem) {
	m, wrong := action.NewKeymap(c.Keys)
	return m, append(wrong, m.AddHotkeys(c.Hotkeys)...)
}

// StartPage returns the first page, the ladder if none or an invalid one is set.
func (c *Config) StartPage() nav.Page {
	p, _ := c.startPage()
	return p
}

func (c *Config) startPage() (p nav.Page, ok bool) {
	name, isView := strings.CutPrefix(c.Start, viewWord)
	p, ok = c.ViewPage(name)
	if isView && ok {
		return p, true
	}
	if isAlone(c.Start) {
		return nav.NewPage(nav.PageKind(c.Start)), true
	}
	return nav.NewPage(nav.Ladder), c.Start == ""
}
