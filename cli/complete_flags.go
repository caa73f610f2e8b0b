package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/revision"
	"rung/system"
	"rung/themes"
)

// manifestNames are the file endings that -f takes.
var manifestNames = []string{"yaml", "yml", "json", "gz"}

// flagValues returns the completers of flags that take names. A flag of a single command with fixed words is
// completed in that command's file.
func flagValues(a *command.App) map[string]command.Completer {
	folders := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	schemes := cobra.FixedCompletions(command.NBSchemes, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
	onOff := command.FixedWords("auto", "on", "off")
	out := map[string]command.Completer{
		"output":  command.CompleteForm,
		"context": kubeconfigNames(a, func(n engine.KubeconfigNames) []string { return n.Contexts }),
		"cluster": kubeconfigNames(a, func(n engine.KubeconfigNames) []string { return n.Clusters }),
		"user":    kubeconfigNames(a, func(n engine.KubeconfigNames) []string { return n.Users }),

		"ovn-namespace":          a.CompleteValue(command.NamespaceChoices),
		"host-network-namespace": a.CompleteValue(command.NamespaceChoices),
		"lease-namespace":        a.CompleteValue(command.NamespaceChoices),
		"namespace":              a.CompleteValue(command.NamespaceChoices),
		"namespaces":             a.CompleteValue(command.NamespaceChoices),
		"network":                a.CompleteValue(command.NetworkChoices),
		"zone":                   a.CompleteValue(command.ZoneChoices),
		"node":                   a.CompleteValue(command.ZoneChoices),
		"controller":             a.CompleteValue(command.ZoneChoices),
		"confirm-name":           a.CompleteValue(nameChoices),
		"insert":                 insertChoices(a),
		"focus":                  a.CompleteValue(command.NamespaceChoices),
		"from":                   a.CompleteValue(command.PodChoices),
		"to":                     a.CompleteValue(command.PodChoices),
		"delete":                 a.CompleteValue(command.PolicyChoices),
		"why":                    a.CompleteValue(command.PolicyChoices),
		"propose":                a.CompleteValue(command.PolicyChoices),

		"nb":              schemes,
		"sb":              schemes,
		"filter":          CompleteFilter(a),
		"protocol":        command.FixedWords("TCP", "UDP", "SCTP", "ICMP"),
		"log-format":      command.FixedWords("text", "json"),
		"log-level":       command.FixedWords("debug", "info", "warn", "error"),
		"speed":           command.FixedWords("all", "1x", "10x", "100x"),
		"system":          command.FixedWords(append([]string{system.Auto}, system.SystemNames()...)...),
		"api-release":     command.FixedWords(engine.APIReleases()...),
		"ip-family":       command.FixedWords("auto", "ipv4", "ipv6", "dual"),
		"multicast":       onOff,
		"netpol-defaults": onOff,
		"color":           command.FixedWords("auto", "always", "never", "16", "256", "truecolor"),
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

		"filename":      command.FileCompleter(manifestNames...),
		"cases":         command.FileCompleter("json"),
		"change":        command.FileCompleter(manifestNames[:3]...),
		"log":           command.FileCompleter(),
		"dns-addresses": command.FileCompleter(manifestNames[:3]...),
		"config":        command.FileCompleter(manifestNames[:2]...),
		"sandbox-dir":   folders,
		"state-dir":     folders,
		"profile":       folders,
	}
	for _, name := range command.Switches {
		out[name] = onOff
	}
	for _, name := range []string{"kubeconfig", "nb-key", "nb-cert", "nb-ca", "certificate-authority",
		"client-certificate", "client-key"} {
		out[name] = command.FileCompleter()
	}
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

// kubeconfigNames completes names of the kubeconfig.
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

// nameChoices returns the policy names that guard rails ask for.
func nameChoices(_ *engine.Engine, r *revision.Revision) (out []string) {
	for p := range r.Cluster.AllPolicies() {
		out = append(out, p.Name)
	}
	return out
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
