package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/system"
	"rung/themes"
)

// shells are the shells with a completion script; kubectl completes its plugins in all of them.
var shells = []string{"bash", "zsh", "fish", "powershell", "kubectl"}

// forKubectl is kubectl_complete-rung, which kubectl runs from PATH to complete "kubectl rung".
const forKubectl = "#!/bin/sh\nexec kubectl-rung __complete \"$@\"\n"

// completionCmd prints the script with which a shell asks Rung for completions.
func completionCmd(a *command.App) *cobra.Command {
	var brief bool
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes commands, flags and names in a shell",
		Long: `Print the script with which a shell completes commands, flags, files for -f, and the
names of policies, pods, namespaces and zones. SHELL is ` + words.Either(shells) + `.

In the shell that runs:
  bash        source <(rung completion bash)          with the package bash-completion
  zsh         source <(rung completion zsh)           after: autoload -U compinit; compinit
  fish        rung completion fish | source
  powershell  rung completion powershell | Out-String | Invoke-Expression

In every new one:
  bash        rung completion bash > ~/.local/share/bash-completion/completions/rung
  zsh         rung completion zsh > "${fpath[1]}/_rung"
  fish        rung completion fish > ~/.config/fish/completions/rung.fish
  powershell  the line above, in the file that $PROFILE names

For "kubectl rung": rung completion kubectl > ~/.local/bin/kubectl_complete-rung, made
executable and on PATH; kubectl asks it.`,
		Example:     "  rung completion bash\n  rung completion zsh --no-descriptions",
		Args:        command.TakesArgs(0, "SHELL"),
		Annotations: command.WithoutAnswer(),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return shells, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Out, !brief)
			case "zsh":
				if brief {
					return root.GenZshCompletionNoDesc(a.Out)
				}
				return root.GenZshCompletion(a.Out)
			case "fish":
				return root.GenFishCompletion(a.Out, !brief)
			case "powershell":
				if brief {
					return root.GenPowerShellCompletion(a.Out)
				}
				return root.GenPowerShellCompletionWithDesc(a.Out)
			case "kubectl":
				_, err := io.WriteString(a.Out, forKubectl)
				return err
			}
			return fmt.Errorf("no completion for shell %q: want %s", args[0], words.Either(shells))
		},
	}
	cmd.Flags().BoolVar(&brief, "no-descriptions", false, "offer names without descriptions")
	return cmd
}

func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:         "help [COMMAND]",
		Short:       "Print what a command does, its examples and its flags",
		Long:        "Print what a command does, its examples and its flags, as COMMAND --help does.",
		Example:     "  rung help\n  rung help trace",
		Args:        command.TakesArgs(1, "[COMMAND]"),
		Annotations: command.WithoutAnswer(),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() {
					out = append(out, c.Name()+"\t"+c.Short)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return err
			case len(rest) > 0:
				return command.UnknownCommand(cmd.Root(), rest[0])
			}
			return of.Help()
		},
	}
}

// flagValues returns the completers of flags that take names. A flag of a single command with fixed words is
// completed in that command's file.
func flagValues(a *command.App) map[string]command.Completer {
	out := map[string]command.Completer{
		"output":  command.CompleteForm,
		"context": kubeconfigNames(a, func(n engine.KubeconfigNames) []string { return n.Contexts }),
		"cluster": kubeconfigNames(a, func(n engine.KubeconfigNames) []string { return n.Clusters }),
		"user":    kubeconfigNames(a, func(n engine.KubeconfigNames) []string { return n.Users }),

		"network": a.CompleteValue(command.NetworkChoices),
		"confirm-name": a.CompleteValue(func(_ *engine.Engine, r *revision.Revision) []string {
			return model.MapList(slices.Collect(r.Cluster.AllPolicies()), func(p *model.Policy) string { return p.Name })
		}),
		"insert":      insertChoices(a),
		"filter":      CompleteFilter(a),
		"protocol":    command.FixedWords("TCP", "UDP", "SCTP", "ICMP"),
		"log-format":  command.FixedWords("text", "json"),
		"log-level":   command.FixedWords("debug", "info", "warn", "error"),
		"speed":       command.FixedWords("all", "1x", "10x", "100x"),
		"system":      command.FixedWords(append([]string{system.Auto}, system.SystemNames()...)...),
		"api-release": command.FixedWords(engine.APIReleases()...),
		"ip-family":   command.FixedWords("auto", "ipv4", "ipv6", "dual"),
		"color":       command.FixedWords("auto", "always", "never", "16", "256", "truecolor"),
		"theme": a.OfferChoices(func(context.Context) []string {
			set, _ := themes.LoadThemes(filepath.Join(xdg.ConfigHome, "rung", "themes")) // unreadable themes are not offered
			return set.ThemeNames()
		}),
		// It also takes the path of a server.
		"sandbox-ovsdb": cobra.FixedCompletions([]string{"auto", "builtin"}, cobra.ShellCompDirectiveDefault),
		"sandbox-ovn":   cobra.FixedCompletions([]string{"auto", "off"}, cobra.ShellCompDirectiveFilterDirs),
		"allow-unjudged": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			out := []string{"all"}
			for _, code := range model.OmissionCodes {
				if o := (model.Omission{Code: code}); !o.IsAssumption() {
					out = append(out, string(code))
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
	alike := func(c command.Completer, flags ...string) {
		for _, name := range flags {
			out[name] = c
		}
	}
	alike(a.CompleteValue(command.NamespaceChoices), "ovn-namespace", "host-network-namespace", "lease-namespace", "report-namespace",
		"namespace", "namespaces", "focus")
	alike(a.CompleteValue(command.ZoneChoices), "zone", "node", "controller")
	alike(a.CompleteValue(command.PodChoices), "from", "to")
	alike(a.CompleteValue(command.PolicyChoices), "delete", "why", "propose")
	alike(cobra.FixedCompletions(command.NBSchemes, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace), "nb")
	alike(cobra.FixedCompletions(command.SBSchemes, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace), "sb")
	alike(command.FixedWords("auto", "on", "off"), append(command.Switches, "multicast", "netpol-defaults")...)
	alike(command.FileCompleter("yaml", "yml", "json", "gz"), "filename")
	alike(command.FileCompleter("yaml", "yml", "json"), "change", "dns-addresses", "expect")
	alike(command.FileCompleter("yaml", "yml"), "config")
	alike(command.FileCompleter("json"), "cases")
	alike(command.FileCompleter(), "log", "kubeconfig", "nb-key", "nb-cert", "nb-ca", "certificate-authority", "client-certificate",
		"client-key")
	alike(cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs), "sandbox-dir", "state-dir", "profile")
	return out
}

// freeText lists the flags whose values cannot be offered, with the reason.
var freeText = map[string]string{
	"label":           "a text of the user's own",
	"token":           "a secret",
	"password":        "a secret",
	"username":        "the server's users are not listed anywhere",
	"as":              "the server's users are not listed anywhere",
	"as-uid":          "the server's users are not listed anywhere",
	"as-group":        "the server's groups are not listed anywhere",
	"server":          "an address",
	"proxy-url":       "an address",
	"port":            "a port, or one with its protocol",
	"metrics-address": "an address",
	"tls-server-name": "a name in a certificate",
	"cluster-subnets": "networks", "masquerade-subnets": "networks",
	"request-timeout": "a duration",
	"pager":           "a command line",
	"identity":        "a new name",
	"agent":           "a new name",
	"until":           "a time",
	"since":           "a time",
	"at-time":         "a time",
	"view":            "names of the configuration, which the console reads",
}

// completeFlags completes the flags of all commands, and stops arguments from completing as files.
func completeFlags(a *command.App, root *cobra.Command) {
	values := flagValues(a)
	for name := range freeText {
		values[name] = cobra.NoFileCompletions
	}
	of := func(cmd *cobra.Command) func(*pflag.Flag) {
		return func(f *pflag.Flag) {
			if _, done := cmd.GetFlagCompletionFunc(f.Name); !done && values[f.Name] != nil {
				command.CompleteFlag(cmd, f.Name, values[f.Name])
			}
		}
	}
	root.PersistentFlags().VisitAll(of(root))
	for _, cmd := range root.Commands() {
		cmd.LocalNonPersistentFlags().VisitAll(of(cmd))
		switch {
		case cmd.ValidArgsFunction != nil || cmd.HasSubCommands():
		case cmd.Name() == "undo" || cmd.Name() == "redo":
			cmd.ValidArgsFunction = a.CompleteFirst(command.HistoryChoices)
		default:
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
}

func kubeconfigNames(a *command.App, of func(engine.KubeconfigNames) []string) command.Completer {
	return a.OfferChoices(func(context.Context) []string {
		opt := engine.ClusterOptions{}
		opt.Kubeconfig = a.Flags.Kube.Kubeconfig
		names, err := engine.NamesInKubeconfig(opt)
		if err != nil {
			return nil
		}
		return of(names)
	})
}

// insertChoices completes ABOVE,BELOW: one policy, then the other.
func insertChoices(a *command.App) command.Completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		above, _, second := strings.Cut(typed, ",")
		return a.CompleteValue(func(_ *engine.Engine, r *revision.Revision) []string {
			var out []string
			for _, k := range command.ChoicesOfKind(r, func(k model.Kind) bool { return k == model.KindANP }) {
				name, _, _ := strings.Cut(k, "\t")
				switch {
				case !second:
					out = append(out, name+",")
				case name != above:
					out = append(out, above+","+name)
				}
			}
			return out
		})(cmd, args, typed)
	}
}

// mostTerms is the most completions offered for a filter of log lines.
const mostTerms = 200

// CompleteFilter completes the last term of a filter of log lines: its field, or a known value.
func CompleteFilter(a *command.App) command.Completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if typed == "" || strings.HasSuffix(typed, " ") {
			return model.MapList(logline.FieldHelp(), func(f [2]string) string { return typed + f[0] + ":\t" + f[1] }),
				cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		out, how := a.CompleteValue(func(_ *engine.Engine, r *revision.Revision) []string {
			return logline.Completions(typed, mostTerms, func(yield func(*logline.QueryLine) bool) { knownLines(r, yield) })
		})(cmd, args, typed)
		return out, how | cobra.ShellCompDirectiveNoSpace
	}
}

// knownLines yields possible lines: of every policy, node and pod.
func knownLines(r *revision.Revision, yield func(*logline.QueryLine) bool) {
	for p := range r.Cluster.EveryPolicy() {
		if !yield(&logline.QueryLine{Line: &logline.Line{}, Rule: logline.RuleRef{Policy: p.Key, Rule: -1}}) {
			return
		}
	}
	for n := range r.Cluster.Nodes() {
		if !yield(&logline.QueryLine{Line: &logline.Line{Zone: n.Name}}) {
			return
		}
	}
	for p := range r.Cluster.Pods() {
		end := logline.LineEnd{Key: p.Key}
		if len(p.IPs) > 0 {
			end.Addr = p.IPs[0]
		}
		if !yield(&logline.QueryLine{Line: &logline.Line{}, Src: end, Dst: end}) {
			return
		}
	}
}
