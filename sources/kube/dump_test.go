package kube

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// A dump, as README, help and clusters.md make it, has every kind that Rung reads of a cluster; what
// most clusters do not have, and kubectl therefore refuses, stands in a table below it.
func TestDumpsAreWhole(t *testing.T) {
	rare := []model.Kind{model.KindCNP, model.KindEvent}
	for _, r := range slices.Concat(NetworkResources, TieredResources) {
		rare = append(rare, r.Kind)
	}
	var usual, more []string
	for _, r := range watchedResources(1) {
		if !slices.Contains(rare, r.kind) {
			usual = append(usual, r.name)
		} else if !slices.Contains(more, r.name) {
			more = append(more, r.name)
		}
	}
	slices.Sort(usual)
	for _, name := range []string{"README.md", "cli/root.go", "docs/clusters.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		var whole []string // the dump of most kinds
		for _, kinds := range dumpedKinds(string(text)) {
			if len(kinds) > len(whole) {
				whole = kinds
			}
		}
		slices.Sort(whole)
		if diff := cmp.Diff(usual, whole); diff != "" {
			t.Errorf("%s (-read +dumped)\n%s", name, diff)
		}
		if name != "docs/clusters.md" {
			continue
		}
		_, section, _ := strings.Cut(string(text), "\n## A dump\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, r := range more {
			if !strings.Contains(section, "`"+r+"`") {
				t.Errorf("docs/clusters.md#a-dump does not name %s", r)
			}
		}
	}
}

var (
	assignsKinds = regexp.MustCompile(`(?m)^\s*KINDS=(?:\$KINDS,)?(\S+)`)
	dumps        = regexp.MustCompile(`\b(?:kubectl|oc) get (\S+)[^\n|>]* -o (?:yaml|json)\b`)
)

// dumpedKinds returns the kinds that each dump in a text names.
func dumpedKinds(text string) (out [][]string) {
	from := 0
	for _, m := range dumps.FindAllStringSubmatchIndex(text, -1) {
		kinds := text[m[2]:m[3]]
		if kinds == "$KINDS" {
			var parts []string
			for _, a := range assignsKinds.FindAllStringSubmatch(text[from:m[0]], -1) {
				parts = append(parts, a[1])
			}
			kinds = strings.Join(parts, ",")
		}
		from = m[1]
		if kinds != "…" {
			out = append(out, strings.Split(kinds, ","))
		}
	}
	return out
}

// coreKinds are resources of the group that has no name; others have theirs behind a point. A short
// name may be one of another group, too: anp is Antrea's NetworkPolicy as well.
var coreKinds = []string{"namespaces", "pods", "nodes", "services", "configmaps", "events"}

// Every dump in documents and help names its kinds in full, so that kubectl takes no kind of
// another group for one of them.
func TestDumpsNameKindsInFull(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "bin" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, kinds := range dumpedKinds(string(text)) {
			seen++
			for _, kind := range kinds {
				if !slices.Contains(coreKinds, kind) && !strings.Contains(kind, ".") {
					t.Errorf("%s: a dump names %s, which is not the full name of a resource", path, kind)
				}
			}
		}
		return nil
	})
	if err != nil || seen < 2 {
		t.Errorf("%d dumps, %v", seen, err)
	}
}
