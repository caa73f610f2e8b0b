package model

import (
	"cmp"
	"slices"
	"strings"

	"rung/model/words"
)

// Kubectl writes kubectl command lines equivalent to Rung's actions.
type Kubectl struct {
	// Flags select the cluster and user, quoted for a shell; empty leaves both to kubectl.
	Flags string
}

// kubectlNames are kubectl's names of the kinds; ANP, BANP and CNP are short names of their CRDs.
var kubectlNames = map[Kind]string{KindANP: "anp", KindBANP: "banp", KindNP: "networkpolicy", KindEF: "egressfirewall", KindCNP: "cnp",
	KindMNP: "multi-networkpolicy", KindNAD: "network-attachment-definition",
	KindPod: "pod", KindNamespace: "namespace", KindNode: "node", KindService: "service"}

func (k Kubectl) commandWords(verb string, target Key, rest ...string) string {
	args := []string{verb}
	if target.Kind != "" {
		args = append(args, cmp.Or(kubectlNames[target.Kind], strings.ToLower(string(target.Kind))), target.Name)
		if target.Namespace != "" {
			args = append(args, "-n", target.Namespace)
		}
	}
	return k.CommandLine(append(args, rest...)...)
}

// CommandLine returns kubectl with these args.
func (k Kubectl) CommandLine(args ...string) string {
	line := "kubectl "
	if k.Flags != "" {
		line += k.Flags + " "
	}
	return line + words.ShellJoin(args...)
}

// FromInput returns the line of a verb (apply, create, replace) that reads the object from standard input. A
// replace fails if the resourceVersion is outdated.
func (k Kubectl) FromInput(verb string) string { return k.commandWords(verb, Key{}, "-f", "-") }

// ServerSideApply returns the line for a server-side apply of standard input. force takes over others' fields.
func (k Kubectl) ServerSideApply(force bool) string {
	rest := []string{"--server-side", "--field-manager=rung"}
	if force {
		rest = append(rest, "--force-conflicts")
	}
	return k.commandWords("apply", Key{}, append(rest, "-f", "-")...)
}

// Delete returns the line that deletes an object.
func (k Kubectl) Delete(target Key) string { return k.commandWords("delete", target) }

// Get returns the line that prints an object.
func (k Kubectl) Get(target Key) string { return k.commandWords("get", target, "-o", "yaml") }

// SetPriority returns the line that changes a policy's priority, if it still has the expected one.
func (k Kubectl) SetPriority(target Key, from, to float64) string {
	patch := `[{"op":"test","path":"/spec/priority","value":` + words.Number(from) +
		`},{"op":"replace","path":"/spec/priority","value":` + words.Number(to) + `}]`
	return k.commandWords("patch", target, "--type=json", "-p", patch)
}

// Annotate returns the line that sets and removes annotations: name=value, or name- to remove it.
func (k Kubectl) Annotate(target Key, changes ...string) string {
	if slices.ContainsFunc(changes, func(c string) bool { return strings.Contains(c, "=") }) {
		changes = append(slices.Clone(changes), "--overwrite")
	}
	return k.commandWords("annotate", target, changes...)
}
