package nb

import "testing"

func TestColumnText(t *testing.T) {
	for _, tc := range []struct {
		value any
		want  string
	}{
		{"drop", "drop"},
		{"from-lport", "from-lport"},
		{"inport == @a1", `"inport == @a1"`},
		{"", `""`},
		{"true", `"true"`},
		{"10.0.0.1", `"10.0.0.1"`},
		{"924b81fd-0000-4000-8000-0123456789ab", "924b81fd-0000-4000-8000-0123456789ab"},
		{Optional(""), "[]"},
		{Optional("alert"), "alert"},
		{26595, "26595"},
		{false, "false"},
		{[]string(nil), "[]"},
		{[]string{"a", "10.0.0.0/8"}, `[a, "10.0.0.0/8"]`},
		{map[string]string{}, "{}"},
		{map[string]string{"direction": "Egress", "k8s.ovn.org/name": "x y"}, `{direction=Egress, "k8s.ovn.org/name"="x y"}`},
	} {
		if got := (Column{"c", tc.value}).ListText(); got != tc.want {
			t.Errorf("%#v: %s, want %s", tc.value, got, tc.want)
		}
	}
}

func TestColumnsBeginWithTheUUID(t *testing.T) {
	for _, r := range []Row{&ACL{UUID: "u"}, &AddressSet{UUID: "u"}, &PortGroup{UUID: "u"}, &LogicalSwitch{UUID: "u"},
		&LogicalSwitchPort{UUID: "u"}, &Meter{UUID: "u"}, &MeterBand{UUID: "u"}, &Global{UUID: "u"}} {
		cols := Columns(r)
		if len(cols) < 2 || cols[0] != (Column{"_uuid", "u"}) {
			t.Errorf("%T: %v", r, cols)
		}
	}
	if cols := Columns(&AddressSet{}); cols[0].Name != "addresses" {
		t.Errorf("a desired row has no _uuid: %v", cols)
	}
}
