package view

import (
	"strings"

	"rung/model"
	"rung/revision/policies"
	"rung/ui/nav"
)

// CopiesOf are the usual things to copy of what a page stands for: name, YAML
// and the command that shows it.
func CopiesOf(env *Env, p nav.Page) []Copy {
	k := p.Key
	if k.Name == "" {
		return nil
	}
	out := []Copy{{"name", k.Name}, {"kubectl command", env.Rev.Mode.Kubectl.Get(k)}}
	if o := env.Rev.Cluster.Policy(k); o != nil {
		if o.YAML != "" {
			out = append(out, Copy{"YAML", o.YAML})
		}
		out = append(out, Copy{"ovn-nbctl command", model.ShellJoin(append([]string{"ovn-nbctl", "find", "ACL"}, ownerConditions(k)...)...)})
		if k.Namespace != "" {
			out = append(out, Copy{"command to change what it logs", policies.NamespaceLogsCommand(env.Rev, k.Namespace)})
		}
	}
	if p.Dir != "" {
		if o := env.Rev.Cluster.Policy(k); o != nil {
			if r := o.Rule(p.Dir, p.Rule); r != nil && r.Name != "" {
				out = append(out, Copy{"rule name", r.Name})
			}
		}
	}
	return out
}

// ownerConditions find the ACLs of a policy by their external_ids
// (ovn-kubernetes.md#external-ids, #owner-types).
func ownerConditions(k model.Key) []string {
	name := k.Name
	switch k.Kind {
	case model.KindNP:
		name = k.Namespace + ":" + k.Name
	case model.KindEF:
		name = k.Namespace
	}
	return []string{`external_ids:"k8s.ovn.org/name"=` + nbctlString(name), `external_ids:"k8s.ovn.org/owner-type"=` + string(k.Kind)}
}

// nbctlString quotes what ovn-nbctl would not take for one word.
func nbctlString(s string) string {
	if strings.Contains(s, ":") {
		return `"` + s + `"`
	}
	return s
}
