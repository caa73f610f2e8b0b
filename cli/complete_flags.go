package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/engine"
	"rung/model"
	"rung/revision"
	"rung/themes"
)

// manifestNames are how files end that -f takes.
var manifestNames = []string{"yaml", "yml", "json", "gz"}

// flagValues complete the flags that take names, wherever they stand. Those of a single
// command that know their words are beside it.
func (a *app) flagValues() map[string]completer {
	onOff := fixed("auto", "on", "off")
	out := map[string]completer{
		"output": func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return outputForms(cmd), cobra.ShellCompDirectiveNoFileComp
		},
		"context": a.kubeconfigNames(func(n engine.KubeconfigNames) []string { return n.Contexts }),
		"cluster": a.kubeconfigNames(func(n engine.KubeconfigNames) []string { return n.Clusters }),
		"user":    a.kubeconfigNames(func(n engine.KubeconfigNames) []string { return n.Users }),

		"ovn-namespace":          a.completeValue(namespaceChoices),
		"host-network-namespace": a.completeValue(namespaceChoices),
		"lease-namespace":        a.completeValue(namespaceChoices),
		"namespaces":             a.completeValue(namespaceChoices),
		"zone":                   a.completeValue(zoneChoices),
		"node":                   a.completeValue(zoneChoices),
		"controller":             a.completeValue(zoneChoices),
		"confirm-name":           a.completeValue(nameChoices),
		"insert":                 a.insertChoices(),

		"nb":              schemes,
		"sb":              schemes,
		"filter":          a.filterTermsFor(),
		"log-format":      fixed("text", "json"),
		"log-level":       fixed("debug", "info", "warn", "error"),
		"speed":           fixed("all", "1x", "10x", "100x"),
		"system":          fixed("auto", "ovn-kubernetes", "antrea"),
		"api-release":     fixed(engine.APIReleases()...),
		"ip-family":       fixed("auto", "ipv4", "ipv6", "dual"),
		"multicast":       onOff,
		"netpol-defaults": onOff,
		"color":           fixed("auto", "always", "never", "16", "256", "truecolor"),
		"theme": a.offer(func(context.Context) []string {
			set, _ := themes.Load(filepath.Join(xdg.ConfigHome, "rung", "themes")) // what cannot be read is not offered
			return set.Names()
		}),
		// The path of a server is one, too.
		"sandbox-ovsdb": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"auto", "builtin"}, cobra.ShellCompDirectiveDefault
		},

		"sandbox-ovn": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"auto", "off"}, cobra.ShellCompDirectiveFilterDirs
		},

		"allow-unjudged": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			out := []string{"all"}
			for _, code := range model.OmissionCodes {
				if o := (model.Omission{Code: code}); !o.Assumed() {
					out = append(out, string(code))
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},

		"filename":      files(manifestNames...),
		"cases":         files("json"),
		"change":        files(manifestNames[:3]...),
		"log":           files(),
		"dns-addresses": files(manifestNames[:3]...),
		"config":        files(manifestNames[:2]...),
		"sandbox-dir":   folders,
		"state-dir":     folders,
		"profile":       folders,
	}
	for _, name := range switches {
		out[name] = onOff
	}
	for _, name := range []string{"kubeconfig", "nb-key", "nb-cert", "nb-ca", "certificate-authority",
		"client-certificate", "client-key"} {
		out[name] = files()
	}
	return out
}

// freeText are the flags that take text nobody can offer, with the reason.
var freeText = map[string]string{
	"token":           "a secret",
	"password":        "a secret",
	"username":        "the server's users are not listed anywhere",
	"as":              "the server's users are not listed anywhere",
	"as-uid":          "the server's users are not listed anywhere",
	"as-group":        "the server's groups are not listed anywhere",
	"server":          "an address",
	"proxy-url":       "an address",
	"metrics-address": "an address",
	"tls-server-name": "a name in a certificate",
	"cluster-subnets": "networks",
	"request-timeout": "a duration",
	"identity":        "a new name",
	"until":           "a time",
	"since":           "a time",
}

// completeFlags completes the flags of all commands, and the arguments of none as files.
func (a *app) completeFlags(root *cobra.Command) {
	values := a.flagValues()
	for name := range freeText {
		values[name] = cobra.NoFileCompletions
	}
	of := func(cmd *cobra.Command) func(*pflag.Flag) {
		return func(f *pflag.Flag) {
			if _, done := cmd.GetFlagCompletionFunc(f.Name); !done && values[f.Name] != nil {
				completeFlag(cmd, f.Name, values[f.Name])
			}
		}
	}
	root.PersistentFlags().VisitAll(of(root))
	for _, cmd := range root.Commands() {
		cmd.LocalNonPersistentFlags().VisitAll(of(cmd))
		switch {
		case cmd.ValidArgsFunction != nil || cmd.HasSubCommands():
		case cmd.Name() == "undo" || cmd.Name() == "redo":
			cmd.ValidArgsFunction = a.complete(historyChoices)
		default:
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
}

// kubeconfigNames offers names of the kubeconfig.
func (a *app) kubeconfigNames(of func(engine.KubeconfigNames) []string) completer {
	return a.offer(func(context.Context) []string {
		opt := engine.ClusterOptions{}
		opt.Kubeconfig = a.flags.kube.Kubeconfig
		names, err := engine.NamesInKubeconfig(opt)
		if err != nil {
			return nil
		}
		return of(names)
	})
}

// nameChoices are the names of policies as a guard rail wants them typed.
func nameChoices(_ *engine.Engine, r *revision.Revision) []string {
	var out []string
	for p := range r.Cluster.AllPolicies() {
		out = append(out, p.Name)
	}
	return out
}

// insertChoices completes ABOVE,BELOW: one policy, then the other.
func (a *app) insertChoices() completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		above, _, second := strings.Cut(typed, ",")
		return a.completeValue(func(_ *engine.Engine, r *revision.Revision) []string {
			var out []string
			for _, k := range choicesOf(r, func(k model.Kind) bool { return k == model.KindANP }) {
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
