package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	meterList  = "acl-logging__6f2c:   1\nacl-logging__77aa:   12\n"
	meterStats = `OFPST_METER reply (OF1.5) (xid=0x2):
meter:1 flow_count:1 packet_in_count:500 byte_in_count:21000 duration:3.104s bands:
0: packet_count:460 byte_count:19320

meter:12 flow_count:0 packet_in_count:3 byte_in_count:126 duration:1.1s bands:
0: packet_count:0 byte_count:0

meter:40 flow_count:0 packet_in_count:9 byte_in_count:126 duration:1.1s bands:
0: packet_count:9 byte_count:0
`
)

func TestParseMeters(t *testing.T) {
	for _, c := range []struct {
		what, list, stats string
		want              map[string]MeterStat
	}{
		{"two, and one nobody knows", meterList, meterStats,
			map[string]MeterStat{"acl-logging__6f2c": {500, 460}, "acl-logging__77aa": {3, 0}}},
		{"no meter", "", meterStats, map[string]MeterStat{}},
		{"no statistics", meterList, "OFPST_METER reply (OF1.5) (xid=0x2):\n", map[string]MeterStat{}},
		{"odd", "a\nb: x\n" + meterList, "meter:x packet_in_count:5\nmeter:1 packet_in_count:-1 packet_count:7\n",
			map[string]MeterStat{"acl-logging__6f2c": {0, 7}}},
	} {
		if d := cmp.Diff(c.want, ParseMeters(c.list, c.stats)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, d)
		}
	}
}

func FuzzParseMeters(f *testing.F) {
	f.Add(meterList, meterStats)
	f.Fuzz(func(t *testing.T, list, stats string) {
		for name := range ParseMeters(list, stats) {
			if name == "" {
				t.Error("a meter without a name")
			}
		}
	})
}
