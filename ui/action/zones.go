package action

// The actions of the activity and zones views.
const (
	ActivityZone ID = "activity.zone"
	ZonesRows    ID = "zones.rows"
)

var activity = []Action{
	{ID: ActivityZone, Keys: []string{"t"}, Title: "zone", Footer: 20, Help: "show only one zone, the next one with each press"},
}

var zones = []Action{
	{ID: ZonesRows, Keys: []string{"r"}, Title: "rows", Footer: 20, Help: "the rows of the zone under the cursor"},
}
