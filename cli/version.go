package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
)

// Version is set by the build; a build from a module proxy or checkout falls
// back to what the Go tool recorded.
var Version = ""

type versionOut struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionCmd(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  rung version\n  rung version -o wide",
		Args:    command.TakesArgs(0),
		RunE:    func(*cobra.Command, []string) error { return a.PrintAnswer(versionAnswer()) },
	}
}

// versionAnswer is which Rung this is, built from what and for what.
func versionAnswer() *command.Answer {
	v := versionOut{Version: builtVersion(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	return &command.Answer{Value: v, Text: func(wide bool) string {
		if !wide {
			return "rung " + v.Version + "\n"
		}
		return strings.Join(strings.Fields(fmt.Sprintln("rung", v.Version, v.Revision, v.Go, v.Platform)), " ") + "\n"
	}}
}

// builtVersion is the version that the build set, or the one that the Go tool recorded.
func builtVersion() string {
	info, ok := debug.ReadBuildInfo()
	if Version != "" || !ok {
		return Version
	}
	return info.Main.Version
}
