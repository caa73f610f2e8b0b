package settings

import (
	"fmt"

	"rung/model"
	"rung/model/words"
)

// System is a setting, as Rung's flag spells it.
const System = "system"

// SystemOf says which system's precedence holds in a cluster, and why: the flag's; else
// Antrea's where the cluster has policies, Tiers or groups of Antrea and nothing of ovn, which says
// by what OVN-Kubernetes is known to be there, empty for nothing; else OVN-Kubernetes'.
// With Antrea no rows are wanted, so that whoever writes them must have said so in ovn: a
// Tier that somebody applies must not take the rows of a cluster away.
func SystemOf(flag string, c *model.Cluster, ovn string) (s model.PolicySystem, why string) {
	if flag != "" && flag != auto {
		return model.PolicySystem(flag), "--" + System + " " + flag
	}
	tiers, policies := 0, 0
	for range c.AntreaTiers() {
		tiers++
	}
	for range c.AntreaPolicies() {
		policies++
	}
	groups := c.Count(model.KindClusterGroup) + c.Count(model.KindGroup)
	found := fmt.Sprintf("%s and %s of Antrea", words.Count(policies, "policy"), words.Count(tiers, "Tier"))
	if tiers+policies == 0 {
		found = words.Count(groups, "group") + " of Antrea"
	}
	switch {
	case tiers+policies+groups == 0:
		return model.SystemOVN, "no policy and no Tier of Antrea"
	case ovn != "":
		return model.SystemOVN, ovn + "; there are also " + found
	}
	return model.SystemAntrea, found
}
