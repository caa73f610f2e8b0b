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
	// Mouse takes the mouse; nil is yes.
	Mouse *bool `yaml:"mouse"`
	// Keys gives actions other keys, by id.
	Keys map[string][]string `yaml:"keys"`
	// Start is the page to begin with, or "view NAME".
	Start string `yaml:"start"`
	// StillMotion lets nothing on the screen move by itself but clocks.
	StillMotion bool `yaml:"reduced-motion"`
	// Aliases are further names of what the palette finds: by their names the texts that are
	// typed there. Hotkeys are such texts by keys.
	Aliases map[string]string `yaml:"aliases"`
	Hotkeys map[string]string `yaml:"hotkeys"`
	// Views are pages as the user wants to see them, by their names.
	Views map[string]SavedView `yaml:"views"`
	// Contexts are settings of clusters, by the names of their contexts. The command line reads
	// those that are not about the screen.
	Contexts map[string]ContextSettings `yaml:"contexts"`
	// Protected are namespaces that guard rails protect; the command line reads them.
	Protected []string `yaml:"protected"`
	// APIRelease is the release whose CRDs judge files; the command line reads it.
	APIRelease string `yaml:"api-release"`

	// file is where it was read from, lines where its settings stand there, and
	// problems what is wrong with it.
	file     string
	lines    map[string]int
	problems []string
	// themeGiven says that the command line gave the theme, which then holds in every context.
	themeGiven bool
}

// SavedView is a page with its filter, its sorting and its columns.
type SavedView struct {
	Page   string
	Filter string
	Sort   string // the title of a column, "-" before it for descending
	Wide   bool   // with the columns that are not always shown
	// Columns has the names of columns of log lines.
	Columns []string
}

// ContextSettings are the settings of one context of the kubeconfig.
type ContextSettings struct {
	Write    bool   `yaml:"write"`
	ReadOnly bool   `yaml:"readonly"`
	Theme    string `yaml:"theme"`
}

// viewWord begins the name of a saved view, in the palette and in the start of the configuration.
const viewWord = "view "

// ViewPage is the page of a saved view; ok is false where there is none of that name, or its page
// is none.
func (c *Config) ViewPage(name string) (p nav.Page, ok bool) {
	v, ok := c.Views[name]
	if !ok || !isAlone(v.Page) {
		return nav.Page{}, false
	}
	return nav.Page{Kind: nav.PageKind(v.Page), Text: v.Filter, View: name}, true
}

// FindView is the page of a saved view, else the page of that name.
func (c *Config) FindView(name string) (nav.Page, error) {
	if p, ok := c.ViewPage(name); ok {
		return p, nil
	}
	if isAlone(name) {
		return nav.PageOf(nav.PageKind(name)), nil
	}
	if name == readyPage {
		return nav.Page{}, errors.New("--view " + name + " " + readyText)
	}
	saved := strings.Join(slices.Sorted(maps.Keys(c.Views)), ", ")
	return nav.Page{}, fmt.Errorf("--view %s: no such view (saved in %s: %s; pages: %s)", words.CleanText(name), c.file, cmp.Or(saved, "none"),
		pagesText())
}

func isAlone(page string) bool { return slices.Contains(nav.Alone, nav.PageKind(page)) }

// readyPage is a page of older releases, and readyText says where its reports are now.
const (
	readyPage = "ready"
	readyText = "is part of the page zones now, in the column REPORTED: use zones"
)

// pagesText lists the pages that one can begin with.
func pagesText() string {
	var names []string
	for _, k := range nav.Alone {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// ContextTheme is the theme of a context: its own, else that of all.
func (c *Config) ContextTheme(context string) string {
	if own := c.Contexts[context].Theme; own != "" && !c.themeGiven {
		return own
	}
	return c.Theme
}

// CheckAll returns all errors of the configuration: where, what, and what is
// allowed. A setting that is wrong is left out and never fatal.
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
		say("start", "%q is not a page to start with (allowed: %s, or view and the name of one)", c.Start, pagesText())
	}
	_, wrong := c.Keymap()
	for _, w := range wrong {
		problems = append(problems, words.CleanText(c.settingPlace(w.Setting())+w.String()))
	}
	return problems
}

// Keymap makes the keymap with the keys and hotkeys of the configuration, and says which are wrong.
func (c *Config) Keymap() (*action.Keymap, []action.KeyProblem) {
	m, wrong := action.NewKeymap(c.Keys)
	return m, append(wrong, m.AddHotkeys(c.Hotkeys)...)
}

// StartPage is the page to begin with, the ladder where none is named or a wrong one.
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
		return nav.PageOf(nav.PageKind(c.Start)), true
	}
	return nav.PageOf(nav.Ladder), c.Start == ""
}
