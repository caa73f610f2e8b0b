package action

// The actions of the activity and zones views.
const (
	ActivityZone ID = "activity.zone"
	ZonesRows    ID = "zones.rows"
	ZonesState   ID = "zones.state"
)

var activity = []Action{
	{ID: ActivityZone, Keys: []string{"t"}, Title: "zone", Footer: 20, Help: "show only one zone, the next one with each press"},
}

var zones = []Action{
	{ID: ZonesRows, Keys: []string{"r"}, Title: "rows", Footer: 20, Help: "the rows of the zone under the cursor"},
	{ID: ZonesState, Keys: []string{"s"}, Title: "state", Footer: 30, Help: "show only zones that differ, that are not reached, that are followed, that are read in turn; then all again"},
}
