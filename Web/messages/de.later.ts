// Words in one language that come with the screens which need them: the settings and the doctor.
import doctor from "./de/doctor.json";
import settings from "./de/settings.json";

export default { ...doctor, ...settings };
