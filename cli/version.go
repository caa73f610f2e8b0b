package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
)

// Set by the build: make release does (release/goreleaser.yaml). A build from a module proxy or a checkout
// uses what the Go tool recorded. Tag is empty unless a release was built.
var Version, Tag, Commit, Date string

type versionOut struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`

	Tag      string `json:"tag,omitempty"`
	Date     string `json:"date,omitempty"`     // of the commit
	Modified bool   `json:"modified,omitempty"` // uncommitted changes

	OVNKubernetes    ovnKubernetesOut `json:"ovn_kubernetes"`
	NetworkPolicyAPI []string         `json:"network_policy_api"`
	Kubernetes       string           `json:"kubernetes,omitempty"`
	Kinds            []string         `json:"kinds"`
}

type ovnKubernetesOut struct {
	Compiled   string `json:"compiled"`
	Recognised string `json:"recognised_up_to"`
}

func versionCmd(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version: the release's tag, the commit and its date, the Go it was built with,
and the known releases of OVN-Kubernetes and of APIs; with -o wide every kind of object
that is read. Nothing is sent: Rung has no telemetry and does not look for newer
releases.`,
		Example: "  rung version\n  rung version -o wide",
		Args:    command.TakesArgs(0),
		RunE:    func(*cobra.Command, []string) error { return a.PrintAnswer(versionAnswer()) },
	}
}

func versionAnswer() *command.Answer {
	info, _ := debug.ReadBuildInfo()
	v := versionOf(info)
	return &command.Answer{Value: v, Text: v.text}
}

// versionOf returns the version of this program, with what the Go tool recorded; info may be nil.
func versionOf(info *debug.BuildInfo) *versionOut {
	known := engine.KnownReleases()
	v := &versionOut{
		Version: builtVersion(), Tag: Tag, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		OVNKubernetes:    ovnKubernetesOut{known.OVNKubernetes, known.OVNRelease},
		NetworkPolicyAPI: known.NetworkPolicyAPI, Kinds: known.Kinds,
	}
	recorded := map[string]string{}
	if info != nil {
		for _, s := range info.Settings {
			recorded[s.Key] = s.Value
		}
		for _, d := range info.Deps {
			// k8s.io/api v0.37.2 has the types of Kubernetes 1.37.2.
			if minor, ok := strings.CutPrefix(d.Version, "v0."); ok && d.Path == "k8s.io/api" {
				v.Kubernetes = "v1." + minor
			}
		}
	}
	v.Revision, v.Date = cmp.Or(Commit, recorded["vcs.revision"]), cmp.Or(Date, recorded["vcs.time"])
	v.Modified = recorded["vcs.modified"] == "true"
	return v
}

// text returns the version as text. Its first line is also for scripts.
func (v *versionOut) text(wide bool) string {
	var b strings.Builder
	line := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-19s %s\n", title, text)
		}
	}
	first := []string{"rung", v.Version}
	if wide {
		first = append(first, v.Revision, v.Go, v.Platform)
	}
	b.WriteString(strings.Join(strings.Fields(strings.Join(first, " ")), " ") + "\n")
	commit := v.Revision
	if v.Modified {
		commit += ", with uncommitted changes"
	}
	line("tag", v.Tag)
	line("commit", commit)
	line("date of the commit", v.Date)
	line("Go", v.Go+" "+v.Platform)
	line("OVN-Kubernetes", v.OVNKubernetes.Compiled+"; rows of releases up to "+v.OVNKubernetes.Recognised+" are recognised")
	line("network-policy-api", strings.Join(v.NetworkPolicyAPI, ", "))
	line("Kubernetes API", v.Kubernetes)
	for i := 0; wide && i < len(v.Kinds); i++ {
		title := ""
		if i == 0 {
			title = "kinds"
		}
		line(title, v.Kinds[i])
	}
	return b.String()
}

// builtVersion returns the version set by the build, or else recorded by the Go tool.
func builtVersion() string {
	info, ok := debug.ReadBuildInfo()
	if Version != "" || !ok {
		return Version
	}
	return info.Main.Version
}
