package licences

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/test/install"
)

// Every linked module has a licence that is known; NOTICE has the notices of those with one.
func TestLinked(t *testing.T) {
	root, err := install.Root()
	if err != nil {
		t.Fatal(err)
	}
	modules, err := Linked(root)
	if err != nil {
		t.Fatal(err)
	}
	var notices []string
	for _, m := range modules {
		if len(m.Notices) > 0 {
			notices = append(notices, m.Path)
		}
	}
	t.Logf("%d modules, %d with a notice: %s", len(modules), len(notices), strings.Join(notices, ", "))
	if len(modules) < 100 || len(notices) < 9 {
		t.Error("fewer than there were")
	}
}

// A text that is no known licence, or a known one that is not on the list, is an error.
func TestUnknownLicence(t *testing.T) {
	text, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := identify(string(text)); err != nil || len(ids) != 1 || ids[0] != "Apache-2.0" {
		t.Errorf("%v, %v", ids, err)
	}
	const agpl = "This program is free software: you can redistribute it and/or modify it under the terms of the GNU Affero General Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version."
	for _, text := range []string{"You may look at this.", agpl, ""} {
		if ids, err := identify(text); err == nil {
			t.Errorf("%q is taken for %v", text, ids)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "LICENSE.txt"), []byte("You may look at this."), 0o644); err != nil {
		t.Fatal(err)
	}
	m := Module{Path: "example.com/m", Version: "v1.0.0"}
	if err := m.read(dir, map[string]bool{dir: true}); err == nil || !strings.Contains(err.Error(), "example.com/m v1.0.0, LICENSE.txt: no licence is known") {
		t.Errorf("%v", err)
	}
}
