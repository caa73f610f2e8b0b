package statedir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestSaveAs(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	check := func(path, text string, replace bool, want error) {
		t.Helper()
		at, err := SaveAs(path, []byte(text), replace)
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Fatalf("%s: %v, want %v", path, err, want)
		}
		if want == nil {
			if got, err := os.ReadFile(at); err != nil || string(got) != text {
				t.Errorf("%s has %q, %v", at, got, err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "a", "log.txt")
	check(path, "one", false, nil)
	check(path, "two", false, ErrExists)
	if got, _ := os.ReadFile(path); string(got) != "one" {
		t.Errorf("a file that was in the way has %q", got)
	}
	check(path, "two", true, nil)
	check("~/sub/log.txt", "three", false, nil)
	if _, err := os.Stat(filepath.Join(home, "sub", "log.txt")); err != nil {
		t.Error(err)
	}
	if _, err := SaveAs(filepath.Join(path, "below"), nil, false); err == nil {
		t.Error("a file below a file was made")
	}
}
