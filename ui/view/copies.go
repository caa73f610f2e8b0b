package view

import (
	"rung/model"
	"rung/ui/nav"
)

// CopiesOf are the usual things to copy of what a page stands for: name, YAML
// and the command that shows it.
func CopiesOf(env *Env, p nav.Page) []Copy {
	k := p.Key
	if k.Name == "" {
		return nil
	}
	out := []Copy{{"name", k.Name}, {"kubectl command", model.Kubectl{}.Get(k)}}
	if o := env.Rev.Cluster.Policy(k); o != nil {
		if o.YAML != "" {
			out = append(out, Copy{"YAML", o.YAML})
		}
		if k.Kind.IsAdmin() {
			out = append(out, Copy{"ovn-nbctl command", model.ShellJoin("ovn-nbctl", "find", "ACL",
				`external_ids:"k8s.ovn.org/name"=`+k.Name, `external_ids:"k8s.ovn.org/owner-type"=`+string(k.Kind))})
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
