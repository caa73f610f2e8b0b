package action

// The actions of the activity and zones views.
const (
	ActivityZone ID = "activity.zone"
	ActivityPrev ID = "activity.previous-zone"
	ZonesRows    ID = "zones.rows"
	ZonesState   ID = "zones.state"
)

var activity = []Action{
	{ID: ActivityZone, Keys: []string{"]"}, Title: "next zone", Footer: 20, Help: "show one zone only; press again for the next, then for all"},
	{ID: ActivityPrev, Keys: []string{"["}, Title: "previous zone", Help: "show one zone only: the previous one"},
}

var zones = []Action{
	{ID: ZonesRows, Keys: []string{"r"}, Title: "rows", Footer: 20, Help: "the rows of the zone under the cursor"},
	{ID: ZonesState, Keys: []string{"V"}, Title: "show only", Footer: 30, Help: "show only zones that differ, are unreachable, have trouble in OVN, are followed, or are read in turn; press again for the next, then for all"},
}
