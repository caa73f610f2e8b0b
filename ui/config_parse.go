package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model/clean"
)

// ParseConfig reads the text of a configuration file. What is wrong with it
// comes back as notices and never keeps the console from opening: unknown keys
// are named and passed over, and a file that is no YAML counts as empty.
func ParseConfig(path string, text []byte) (Config, []string) {
	var c Config
	if len(bytes.TrimSpace(text)) == 0 {
		return c, nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	err := dec.Decode(&c)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return c, nil
	}
	var notices []string
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return Config{}, []string{fmt.Sprintf("%s: %s", path, clean.Text(strings.TrimPrefix(err.Error(), "yaml: ")))}
	}
	// What could be decoded was: the rest is named line by line.
	for _, e := range wrong.Errors {
		notices = append(notices, fmt.Sprintf("%s: %s", path, clean.Text(strings.Replace(e, " not found in type ui.Config", " is not known", 1))))
	}
	return c, notices
}

// Override puts what the command line says over the file; empty says nothing.
func (c *Config) Override(theme, color string, ascii, noMouse bool) {
	if theme != "" {
		c.Theme = theme
	}
	if color != "" {
		c.Color = color
	}
	if ascii {
		c.ASCII = true
	}
	if noMouse {
		off := false
		c.Mouse = &off
	}
}
