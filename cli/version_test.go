package cli

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"rung/engine"
)

// The build's facts come before those that Go recorded, and each is said once.
func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.time", Value: "2026-11-27T01:02:03Z"}, {Key: "vcs.modified", Value: "true"}},
		Deps:     []*debug.Module{{Path: "k8s.io/api", Version: "v0.37.2"}},
	}
	text := newVersionOut(info).text(false)
	for _, want := range []string{
		"\ncommit              0123abcd, with uncommitted changes\n",
		"\ndate of the commit  2026-11-27T01:02:03Z\n",
		"\nOVN-Kubernetes      default branch of August 2026; rows of releases up to v1.3 are recognised\n",
		"\nnetwork-policy-api  v0.1.5, v0.2.0\n", "\nKubernetes API      v1.37.2\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q in\n%s", strings.TrimSpace(want), text)
		}
	}
	if strings.Contains(text, "\ntag") {
		t.Errorf("a tag that nobody set:\n%s", text)
	}
	defer func(v, tag, commit, date string) { Version, Tag, Commit, Date = v, tag, commit, date }(Version, Tag, Commit, Date)
	Version, Tag, Commit, Date = "v1.2.3", "v1.2.3", "4567", "2026-11-28T00:00:00Z"
	v := newVersionOut(info)
	if v.Version != "v1.2.3" || v.Tag != "v1.2.3" || v.Revision != "4567" || v.Date != "2026-11-28T00:00:00Z" {
		t.Errorf("%+v", v)
	}
	if text := newVersionOut(nil).text(true); !strings.HasPrefix(text, "rung v1.2.3 4567 go1") || !strings.Contains(text, "policy.networking.k8s.io/v1alpha1 AdminNetworkPolicy\n") {
		t.Error(text)
	}
}

// The document that the compiler was written from says of which OVN-Kubernetes it is.
func TestKnownReleasesAreTheDocuments(t *testing.T) {
	text, err := os.ReadFile("../docs/ovn-kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	known := engine.KnownReleases()
	_, month, _ := strings.Cut(known.OVNKubernetes, " of ")
	for _, want := range []string{"OVN-Kubernetes as of " + month + " (default branch", "after release " + known.OVNRelease} {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/ovn-kubernetes.md does not say %q", want)
		}
	}
}
