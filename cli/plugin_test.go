package cli

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"rung/cli/command"
)

func TestSayPlugin(t *testing.T) {
	for text, want := range map[string]string{
		"  rung ladder -f examples/":                            "  kubectl rung ladder -f examples/",
		"  kubectl get po -o yaml |\n    rung lint -f -":        "  kubectl get po -o yaml |\n    kubectl rung lint -f -",
		`see "rung zones". Rung shows it`:                       `see "kubectl rung zones". Rung shows it`,
		"source <(rung completion bash)":                        "source <(kubectl rung completion bash)",
		`unknown command "x"; see: rung --help`:                 `unknown command "x"; see: kubectl rung --help`,
		"  rung                 # the console\n  rung\n":        "  kubectl rung                 # the console\n  kubectl rung\n",
		"did you mean: rung ladder":                             "did you mean: kubectl rung ladder",
		"in ~/.config/rung/config.yaml, the reading of a rung.": "in ~/.config/rung/config.yaml, the reading of a rung.",
	} {
		if got := renameForPlugin(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
	for name, want := range map[string]bool{"rung": false, "/usr/bin/kubectl-rung": true, "kubectl-rung.exe": true, "kubectl_complete-rung": false} {
		if startedAsPlugin(name) != want {
			t.Errorf("%s: want %v", name, want)
		}
	}
}

// No help of the plugin names a program that its users do not have.
func TestPluginHelp(t *testing.T) {
	a := &command.App{In: strings.NewReader(""), Err: io.Discard, Printed: map[string]bool{}}
	var out strings.Builder
	a.Out, a.Raw = &out, &out
	root := rootCommand(a, nil)
	asPlugin(a, root)
	alone := regexp.MustCompile(`(?:^|[^l/.-])\brung [a-z-]`)
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Hidden {
			continue
		}
		out.Reset()
		_ = cmd.Help()
		if !strings.Contains(out.String(), "\n  kubectl rung") {
			t.Errorf("%s: no usage of the plugin\n%s", cmd.Name(), &out)
		}
		for line := range strings.Lines(out.String()) {
			if alone.MatchString(strings.ReplaceAll(line, "kubectl rung", "kubectl/rung")) {
				t.Errorf("%s: %s", cmd.CommandPath(), line)
			}
		}
	}
	if got := root.CommandPath(); got != "kubectl rung" || a.Call != got {
		t.Errorf("%s, %s", got, a.Call)
	}
	var bash strings.Builder
	if err := root.GenBashCompletionV2(&bash, false); err != nil || !strings.Contains(bash.String(), "complete -o default -F __start_kubectl-rung kubectl-rung") {
		t.Errorf("%v: the script of bash is not kubectl-rung's", err)
	}
}
