package cli

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/command"
	"rung/engine"
	"rung/model/words"
)

// helpGroup is a heading of a help with the names of its commands or flags, in order.
type helpGroup struct {
	title string
	names []string
}

var groups = []helpGroup{
	{"Look at the policies", []string{"ladder", "policy", "get", "pod", "namespace",
		"trace", "matrix", "connections", "diff", "verify", "probe", "lint", "report",
		"convert"}},
	{"Look at the zones", []string{"zones", "drift", "rows", "compile", "activity", "logs", "explain", "can"}},
	{"Change policies (shown first, then asked)", []string{"preview", "new", "apply", "move", "log-level", "delete", "plan", "undo", "redo",
		"confirm"}},
	{"Run", []string{"demo", "observe", "reconcile"}},
	{"Other", []string{"options", "completion", "help", "version"}},
}

// helpWidth is the width of help outside a terminal, and the widest inside one.
const helpWidth = 100

// groupCommands puts every command under its heading, and sets the form of help.
func groupCommands(a *command.App, root *cobra.Command) {
	root.SetHelpCommand(helpCmd())
	root.InitDefaultHelpCmd()
	root.AddCommand(completionCmd(a))
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, cmd := range root.Commands() {
			if slices.Contains(g.names, cmd.Name()) {
				cmd.GroupID = g.title
			}
		}
	}
	root.SetUsageFunc(func(cmd *cobra.Command) error { return printUsage(a, cmd) })
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprint(a.Out, strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short+"."))+"\n\n")
		_ = printUsage(a, cmd) // the same stream, which reports errors itself
	})
	for _, cmd := range append(root.Commands(), root) {
		cmd.InitDefaultHelpFlag()
		cmd.Flags().Lookup("help").Usage = "print this help"
		cmd.Flags().SortFlags = false
	}
}

// printUsage prints how to call a command, with its own flags. "rung options" lists the global ones.
func printUsage(a *command.App, cmd *cobra.Command) error {
	var b strings.Builder
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n\n", title, strings.TrimRight(text, "\n"))
		}
	}
	root := cmd.Root()
	section("Examples", cmd.Example)
	if cmd == root {
		for _, g := range groups {
			list := ""
			for _, name := range g.names {
				if c, _, err := root.Find([]string{name}); err == nil {
					list += fmt.Sprintf("  %-*s %s\n", c.NamePadding(), name, c.Short)
				}
			}
			section(g.title, list)
		}
	}
	section("Flags", ownFlags(cmd).FlagUsagesWrapped(usageWidth(a)))
	usage := "  " + cmd.UseLine()
	if cmd == root {
		call := root.CommandPath()
		usage = "  " + call + " [flags]            open the console\n  " + call + " COMMAND [flags]    print an answer, or make a change"
	}
	section("Usage", usage)
	if cmd == root {
		fmt.Fprintf(&b, "Use \"%s COMMAND --help\" for more about a command.\n", root.CommandPath())
	}
	fmt.Fprintf(&b, "Use \"%s options\" for a list of global flags.\n", root.CommandPath())
	_, err := io.WriteString(a.Out, b.String())
	return err
}

// ownFlags returns the flags of a command alone, and -o with the forms of its answer.
func ownFlags(cmd *cobra.Command) *pflag.FlagSet {
	out := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	out.SortFlags = false
	cmd.LocalNonPersistentFlags().VisitAll(out.AddFlag)
	if forms := command.OutputForms(cmd); len(forms) > 0 {
		form := *cmd.Flag("output")
		form.Usage = "`FORM` of the answer: " + words.Either(append(forms, "jsonpath=…", "custom-columns=…"))
		out.AddFlag(&form)
	}
	return out
}

// usageWidth returns the width of the terminal, limited to helpWidth.
func usageWidth(a *command.App) int {
	return min(cmp.Or(command.TerminalWidth(a.Raw), helpWidth), helpWidth)
}

var flagGroups = []helpGroup{
	{"Where policies and pods come from", []string{"filename", "kubeconfig", "context", "cluster", "user", "server", "workloads",
		"max-file-size", "api-release"}},
	{"Login to the cluster", []string{"token", "username", "password", "client-certificate", "client-key", "as", "as-uid",
		"as-group",
		"certificate-authority", "tls-server-name", "insecure-skip-tls-verify", "proxy-url", "disable-compression",
		"request-timeout",
		"kube-qps", "kube-burst"}},
	{"Databases of OVN", []string{"nb", "sb", "nb-ca", "nb-cert", "nb-key", "nb-skip-name-verification", "ovn-namespace"}},
	{"The ACL log", []string{"log", "speed", "keep-counts"}},
	{"What may change", []string{"readonly", "write", "write-back", "reconcile"}},
	{"What OVN-Kubernetes runs with", []string{"ip-family", "system", "max-priority", "compile-cnp", "cluster-subnets", "masquerade-subnets",
		"dns-addresses",
		"host-network-namespace",
		"multicast", "netpol-defaults", "observability", "allow-icmp-network-policy", "enable-stateless-netpol",
		"legacy-isolation"}},
	{"Sandbox", []string{"sandbox-ovsdb", "sandbox-ovn", "sandbox-dir", "sandbox-port-delay", "traffic"}},
	{"Output and console", []string{"output", "view", "color", "pager", "theme", "ascii", "no-mouse", "config", "state-dir",
		"allow-unjudged"}},
}

type optionGroupOut struct {
	Title string      `json:"title"`
	Flags []optionOut `json:"flags"`
}

type optionOut struct {
	Name      string `json:"name"`
	Shorthand string `json:"shorthand,omitempty"`
	Type      string `json:"type"`
	Default   string `json:"default,omitempty"`
	Usage     string `json:"usage"`
}

func optionsCmd(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "options",
		Short:   "List the global flags, which every command takes",
		Example: "  rung options\n  rung options -o json",
		Args:    command.TakesArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			sets := globalFlags(cmd.Root().PersistentFlags())
			out := make([]optionGroupOut, len(sets))
			for i, set := range sets {
				out[i] = optionGroupOut{Title: flagGroups[i].title, Flags: []optionOut{}}
				set.VisitAll(func(f *pflag.Flag) {
					_, usage := pflag.UnquoteUsage(f)
					out[i].Flags = append(out[i].Flags, optionOut{f.Name, f.Shorthand, f.Value.Type(), f.DefValue, usage})
				})
			}
			return a.PrintAnswer(&command.Answer{Value: out, Text: func(bool) string {
				text := "Every command takes these flags.\n"
				for i, set := range sets {
					text += "\n" + flagGroups[i].title + ":\n" + set.FlagUsagesWrapped(usageWidth(a))
				}
				return text
			}})
		},
	}
}

func globalFlags(all *pflag.FlagSet) []*pflag.FlagSet {
	out := make([]*pflag.FlagSet, len(flagGroups))
	for i, g := range flagGroups {
		out[i] = pflag.NewFlagSet(g.title, pflag.ContinueOnError)
		out[i].SortFlags = false
		for _, name := range g.names {
			out[i].AddFlag(all.Lookup(name))
		}
	}
	return out
}

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
	v := newVersionOut(info)
	return &command.Answer{Value: v, Text: v.text}
}

// newVersionOut returns the version of this program, with what the Go tool recorded; info may be nil.
func newVersionOut(info *debug.BuildInfo) *versionOut {
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
