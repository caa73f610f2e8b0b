package ui

import (
	"fmt"
	"slices"
	"strings"

	"rung/themes"
	"rung/ui/action"
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
}

// starts are the pages one can begin with.
var starts = []string{"ladder", "rows", "zones", "logs", "activity", "plan"}

// Check says what is wrong with the configuration, in the file's words. What is
// wrong is left out and never fatal.
func (c *Config) Check(set *themes.Set) []string {
	var warn []string
	if c.Theme != "" && !set.Has(c.Theme) {
		warn = append(warn, fmt.Sprintf("theme: there is no theme %q, only %s", c.Theme, strings.Join(set.Names(), ", ")))
	}
	if _, _, err := themes.Profile(c.Color, func(string) string { return "" }); err != nil {
		warn = append(warn, "color: "+err.Error())
	}
	if c.Start != "" && !slices.Contains(starts, c.Start) {
		warn = append(warn, fmt.Sprintf("start: %q is no page to begin with, only %s", c.Start, strings.Join(starts, ", ")))
	}
	_, keys := action.NewKeymap(c.Keys)
	return append(warn, keys...)
}
