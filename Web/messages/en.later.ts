// Words in one language that come with the screens which need them: the settings and the doctor.
import doctor from "./en/doctor.json";
import settings from "./en/settings.json";

export default { ...doctor, ...settings };
