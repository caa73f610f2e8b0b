package cli

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/command"
)

// File name of kubectl's plugin, and how users call it.
const pluginFile, pluginName = "kubectl-rung", "kubectl rung"

// startedAsPlugin reports whether a program has the name of kubectl's plugin.
func startedAsPlugin(program string) bool {
	return strings.TrimSuffix(filepath.Base(program), ".exe") == pluginFile
}

// calledRung matches "rung" where a text calls it: before a command, a flag, a placeholder, or the end of a
// line. "Rung" is a name, and a file may be called rung.
var calledRung = regexp.MustCompile(`(?m)(^|[\s"(|;])rung( +[a-z-]|\s*#| +[A-Z\[]{2}|"|$)`)

// renameForPlugin makes a text call Rung as kubectl's plugin.
func renameForPlugin(text string) string {
	return calledRung.ReplaceAllString(text, "${1}"+pluginName+"${2}")
}

// asPlugin makes every text of a command line call Rung as kubectl's plugin. Only this function knows of the
// plugin; commands say "rung".
func asPlugin(a *command.App, root *cobra.Command) {
	a.Call = pluginName
	root.Use = pluginFile
	if root.Annotations == nil {
		root.Annotations = map[string]string{}
	}
	root.Annotations[cobra.CommandDisplayNameAnnotation] = pluginName
	say := func(f *pflag.Flag) { f.Usage = renameForPlugin(f.Usage) }
	for _, cmd := range append(root.Commands(), root) {
		cmd.Long, cmd.Example, cmd.Short = renameForPlugin(cmd.Long), renameForPlugin(cmd.Example), renameForPlugin(cmd.Short)
		if cmd.Name() == "completion" {
			cmd.Long = pluginCompletion
		}
		cmd.LocalFlags().VisitAll(say)
	}
}

// pluginCompletion is the help of completion for kubectl's plugin.
const pluginCompletion = `Print the script with which a shell completes commands, flags, files for -f, and the
names of policies, pods, namespaces and zones.

A shell that completes kubectl (kubectl completion --help) also completes "kubectl rung"
once a program kubectl_complete-rung is on PATH. Packages bring it along; else:

  kubectl rung completion kubectl > ~/.local/bin/kubectl_complete-rung
  chmod +x ~/.local/bin/kubectl_complete-rung

The scripts of bash, zsh, fish and powershell complete the command kubectl-rung.`
