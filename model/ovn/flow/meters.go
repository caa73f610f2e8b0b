package flow

import (
	"strconv"
	"strings"
)

// MeterStat is what the datapath counted at one meter (ovn-kubernetes.md#lost-lines).
type MeterStat struct{ In, Dropped uint64 }

// ParseMeters puts the two answers of a node together: meter-table-list of
// ovn-controller, which numbers the meters, and meter-stats of ovs-ofctl, which has the
// counts of each number. Lines in another form are passed over.
func ParseMeters(list, stats string) map[string]MeterStat {
	names := map[uint64]string{}
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if id, err := strconv.ParseUint(f[1], 10, 32); err == nil {
			names[id] = strings.TrimSuffix(f[0], ":")
		}
	}
	out := map[string]MeterStat{}
	name := ""
	for line := range strings.Lines(stats) {
		for _, f := range strings.Fields(line) {
			key, value, _ := strings.Cut(f, ":")
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				continue
			}
			s := out[name]
			switch key {
			case "meter":
				name = names[n]
				continue
			case "packet_in_count":
				s.In = n
			case "packet_count": // of a band: what it discarded
				s.Dropped += n
			default:
				continue
			}
			if name != "" {
				out[name] = s
			}
		}
	}
	return out
}

// MeterOf is the name of the meter that northd makes for one ACL of a fair meter.
func MeterOf(meter, acl string) string { return meter + "__" + acl }
