package page

import (
	"rung/model"
	"rung/model/verdict"
)

// PortRange is a range of ports; ICMP has none.
type PortRange struct {
	Protocol verdict.Protocol `json:"protocol"`
	From     uint16           `json:"from,omitempty"`
	To       uint16           `json:"to,omitempty"`
}

// PortRanges converts ranges of ports for JSON.
func PortRanges(all []verdict.PortRange) []PortRange {
	return model.MapList(all, func(r verdict.PortRange) PortRange {
		if r.Protocol == verdict.ICMP {
			return PortRange{Protocol: r.Protocol}
		}
		return PortRange{r.Protocol, r.Lo, r.Hi}
	})
}
