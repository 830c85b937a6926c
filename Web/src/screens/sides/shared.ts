// Small modules that several chunks need. They come with the first script: as files of their own they would make more requests and more bytes than they spare.
import "../../call/devices";
import "../../parts/drop";
import "../../parts/field";
import "../../parts/leftOut";
import "../../parts/player";
import "../../parts/saveFile";
import "../../parts/select";
import "../../parts/takeAnyway";
import "../../parts/task";
import "../../parts/text";
import "../../text/transcript";
import "../../text/transfers";
import "../../wire/devices";
import "../chat/days";
import "../chat/doing";
import "../../store/openChat";
