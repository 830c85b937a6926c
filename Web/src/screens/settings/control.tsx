// A setting of the daemon: the control is chosen by its type and limits.
import { useId } from "react";
import type { ReactNode } from "react";
import type { Json, Setting } from "../../contract/types";
import { Button } from "../../parts/button";
import { Check } from "../../parts/field";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { setSetting } from "../../store/settings";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { NumberControl, TextControl, WordsControl } from "./fields";
import { choiceLabel, settingHint, settingLabel } from "./sections";
import { strings, valueText } from "./values";

/** The props of a control: `set` saves a value and says whether it was accepted. */
export interface ControlProps {
  setting: Setting;
  set: (value: Json) => Promise<boolean>;
  isBusy: boolean;
}

/** One of a few values. */
function ChoiceControl({ setting, set, isBusy }: ControlProps) {
  const name = useId();
  return (
    <>
      {strings(setting.limits?.["enum"]).map((value) => (
        <label key={value} className="check">
          <input type="radio" name={name} checked={setting.value === value} disabled={isBusy} onChange={() => void set(value)} />
          <span className="grow">{choiceLabel(setting, value)}</span>
        </label>
      ))}
    </>
  );
}

/** Some of a few values. */
function ChoicesControl({ setting, set, isBusy, choices }: ControlProps & { choices: readonly string[] }) {
  const now = strings(setting.value);
  return (
    <>
      {choices.map((value) => (
        <Check
          key={value} checked={now.includes(value)} disabled={isBusy}
          onChange={(on) => void set(choices.filter((one) => (one === value ? on : now.includes(one))))}
        >
          {choiceLabel(setting, value)}
        </Check>
      ))}
    </>
  );
}

const isObject = (value: Json | undefined): value is { [name: string]: Json } => typeof value === "object" && value !== null && !Array.isArray(value);

function Control(props: ControlProps) {
  const { setting, set, isBusy } = props;
  const items = setting.limits?.["items"];
  const choices = isObject(items) ? strings(items["enum"]) : [];
  const hint = settingHint(setting);
  const group = (content: ReactNode) => (
    <fieldset className="choice">
      <legend className="field-label">{settingLabel(setting)}</legend>
      {hint !== "" && <p className="field-hint">{hint}</p>}
      {content}
    </fieldset>
  );
  switch (setting.type) {
    case "boolean":
      return (
        <Check checked={setting.value === true} disabled={isBusy} onChange={(on) => void set(on)}>
          {settingLabel(setting)}{hint !== "" && <span className="field-hint block">{hint}</span>}
        </Check>
      );
    case "integer":
      return <NumberControl {...props} />;
    case "array":
      return group(choices.length > 0 ? <ChoicesControl {...props} choices={choices} /> : <WordsControl {...props} />);
    case "string":
      return strings(setting.limits?.["enum"]).length > 0 ? group(<ChoiceControl {...props} />) : <TextControl {...props} />;
  }
}

/** A setting that can only be changed on this host, because it names a program or a folder. */
function HostSetting({ setting }: { setting: Setting }) {
  const hint = settingHint(setting);
  return (
    <div className="column choice">
      <p className="field-label">{settingLabel(setting)}</p>
      {hint !== "" && <p className="field-hint">{hint}</p>}
      <Note>
        <p>{t("settings.host")}</p>
        <p><code className="wrap" dir="ltr">{`kibo settings ${setting.key} `}<var>{t("settings.host.value")}</var></code></p>
      </Note>
    </div>
  );
}

/** A setting that this computer's configuration determines for everyone who uses it. */
function ForcedSetting({ setting }: { setting: Setting }) {
  const hint = settingHint(setting);
  const value = valueText(setting, setting.value);
  return (
    <div className="column choice">
      <p className="field-label">{settingLabel(setting)}</p>
      {hint !== "" && <p className="field-hint">{hint}</p>}
      {value !== "" && <p className="wrap">{value}</p>}
      <Note><p>{t("settings.forced")}</p></Note>
    </div>
  );
}

export function SettingControl({ setting, lit }: { setting: Setting; lit: boolean }) {
  const task = useTask();
  const set = (value: Json) => task.run(() => setSetting(setting.key, value));
  const isDefault = JSON.stringify(setting.value) === JSON.stringify(setting.default);
  const usual = valueText(setting, setting.default);
  return (
    <div className={`setting${lit ? " setting-lit" : ""}`} id={`setting-${setting.key}`}>
      {setting.forced ? <ForcedSetting setting={setting} /> : setting.host ? <HostSetting setting={setting} /> : <Control setting={setting} set={set} isBusy={task.busy} />}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      {!setting.host && !setting.forced && !isDefault && (
        <div className="row wrapping">
          {usual !== "" && <span className="small quiet wrap">{t("settings.default", { value: usual })}</span>}
          <Button look="quiet" busy={task.busy} aria-label={t("settings.reset.name", { name: isolatedName(settingLabel(setting)) })} onClick={() => void set(null)}>
            {t("settings.reset")}
          </Button>
        </div>
      )}
    </div>
  );
}
