/**
 * Abbreviations of a language, separated by spaces. Inner full stops may be followed by a space in
 * texts: `z.B` is also `z. B.`.
 */
export interface LanguageList {
  /** Abbreviations that are always followed by something: titles, introductions of examples. */
  readonly always: string;
  /** Abbreviations that are followed by something if that is a number. */
  readonly numbers?: string;
  /** Abbreviations that may end a sentence, though their first parts may not: `v.Chr`. */
  readonly ends?: string;
  /**
   * Abbreviations that are followed by something unless a number precedes: the Russian `г.` for
   * city or year.
   */
  readonly unlessCounted?: string;
  /** Words that begin sentences far more often than they follow an initial or an ordinal. */
  readonly starters?: string;
  /**
   * Positions in which a number with a full stop is an ordinal: `dates`: before another number, as
   * in `3. 10. 1999`; `names`: also before names, as in `3. Oktober`.
   */
  readonly ordinals?: 'dates' | 'names';
}

const titles = 'Mr Mrs Ms Dr Prof St cf vs ca e.g i.e';

const norwegian: LanguageList = {
  always: `f.eks bl.a dvs d.v.s s.k frk Hr hr Fr fr ing kgl St jf inkl ekskl evt pga p.g.a mht m.h.t vedr hhv m.a.o iflg
    prof dr cand mag sm`,
  numbers: 'nr s side kap fig tab art pkt kl tlf bd jan feb mar apr jun jul aug sept okt nov des',
  ends: 'f.Kr e.Kr o.l m.m m.v',
  starters: `Det Den De En Et Jeg Du Han Hun Vi Dere Dette Denne Disse I På Med Til Fra For Av Ved Etter Før Men Og Så Da
    Når Hvis Som Om Her Der Nå Hva Hvem Hvor Hvorfor Hvordan Ikke Også`,
  ordinals: 'dates',
};

/** Lists by language. Languages without a list use the English one. */
export const languageLists: Readonly<Record<string, LanguageList>> = {
  de: {
    always: `${titles} Hr Hrn Fr Frl Fa Fam Gebr Hrsg Dipl Ing Mag Priv Doz Nr bzw bspw bzgl ca d.h d.i ehem eigtl einschl
      engl entspr evtl exkl franz frz gegr geb gem gen ggf ggü griech hebr Hl hl i.A i.d.R i.S.d i.S.v i.V.m i.H.v inkl
      insb insbes ital jew kath evang lat lfd lt m.E m.W m.a.W mind mtl näml o.g phil röm russ s sog span St städt stellv
      Tel tägl Tsd u.a u.U urspr v.a verh verw vgl vorm wg wiss z.B z.T z.Hd z.Z z.Zt z.H zit zzgl zw Mio Mrd`,
    numbers: `Abb Abs Abschn Anh Anl Anm Art Aufl Bd Bde Bl Buchst Fig Fn H Hft Jg Jgg Kap Lfg Nrn Pkt Pos Rn Rz S Sp Str
      Tab Taf Ziff Jan Feb Mrz Apr Jun Jul Aug Sep Sept Okt Nov Dez`,
    ends: 'v.Chr n.Chr u.s.w u.v.m u.v.a o.ä o.Ä u.ä u.Ä u.dgl o.J o.O i.R i.V a.D e.V G.m.b.H s.o s.u h.c',
    starters: `Der Die Das Den Dem Des Ein Eine Einer Eines Einem Einen Er Sie Es Wir Ihr Ich Du Man Dies Diese Dieser Dieses
      Diesen In Im Am An Auf Aus Bei Beim Nach Mit Von Vom Zu Zum Zur Für Um Als Wenn Da Dann Danach Doch Aber Und Oder So
      Auch Nun Hier Dort Seit Was Wer Wie Wo Warum Dabei Damit Dadurch Daher Deshalb Allerdings Jedoch Nur Noch Schon Sein
      Seine Seinen Ihre Ihren Unter Über Vor Während Zudem Außerdem Bis Durch Gegen Ohne Nicht Kein Keine Alle Jetzt`,
    ordinals: 'names',
  },
  es: {
    always: `${titles} Sr Sra Srta Sres Sras Srtas Dra Dres Dras D Dña Profa Lic Ing Arq Gral Cnel Cap Tte Sgto Mons Excmo
      Excma Ilmo Ilma Rvdo Sto Sta Hno Hna Pdte Avda Av Ctra Pza Pl Ud Uds Vd Vds p.ej P.ej v.gr aprox cfr sig sigs ibíd`,
    numbers: `No Nº nº núm nro s pág págs p pp art arts cap caps vol vols fig figs t tel tlf apdo sec ed lám ene feb abr jun jul
      ago sep sept oct nov dic`,
    ends: 'a.C d.C EE.UU a.m p.m S.A s.f',
    starters: `El La Los Las Un Una Unos Unas Lo En De Del Al A Con Por Para Sin Se Su Sus Este Esta Esto Estos Ese Esa Eso Él
      Ella Ellos Ellas Yo Tú Nosotros Y O Pero Si Cuando Como Que Qué Quién No Sí También Además Así Es Ha Según Desde Tras Después Luego Entonces`,
  },
  fr: {
    always: `${titles} M MM Mme Mmes Mlle Mlles Mgr Me Pr Ste Sts av apr bd env p.ex c.-à-d c.à.d Gal Cdt Cne Lt Col resp éd dir`,
    numbers: `n no No nos Nos nº art chap ch fig figs p pp vol t tab tél al alin col f fol l janv févr avr juil sept oct nov déc`,
    ends: 'J.-C J.C N.B s.d',
    starters: `Le La Les L Un Une Des Du De Il Elle Ils Elles On Nous Vous Je Tu Ce Cette Ces Cet C Son Sa Ses Leur Leurs En
      Dans À A Au Aux Pour Par Avec Sur Sans Mais Et Ou Si Quand Comme Que Qui Quoi Où Selon Après Avant Depuis Ainsi Alors
      Puis Cependant`,
  },
  it: {
    always: `${titles} Sig Sigg Sig.ra Sig.na Dott Dott.ssa Prof.ssa Avv Ing Arch Geom Rag On Sen Gen Col Cap Ten Mons S SS es
      p.es cfr Spett Egr Gent Ill sec secc`,
    numbers: `n nn num art artt pag pagg p pp cap capp vol voll fig figg tab tel par co lett sez gen feb apr mag giu lug ago
      set sett ott nov dic`,
    ends: 'a.C d.C S.p.A S.r.l',
    starters: `Il Lo La I Gli Le L Un Una Uno Di Del Della Dei In Nel Nella A Al Alla Da Dal Dalla Con Per Su Sul Sulla Tra Fra E
      Ma O Se Quando Come Che Chi Non È Ha Si Questo Questa Quello Lui Lei Noi Voi Loro Io Tu Dopo Poi Anche Così`,
  },
  pt: {
    always: `${titles} Sr Sra Srs Sras Srta Dra Drs Dras Profa Eng Arq Exmo Exma Ilmo Ilma Gen Cel Cap Ten Sgt D Sto Sta Mons Pe
      p.ex ex aprox Tv Rod Av séc sécs`,
    numbers: `nº núm art arts pág págs p pp cap caps vol vols fig figs tel inc jan fev abr jun jul ago out nov dez`,
    ends: 'a.C d.C S.A',
    starters: `O A Os As Um Uma Em No Na Nos Nas De Do Da Dos Das Com Por Para Sem Se Seu Sua Este Esta Isto Esse Essa Isso Ele
      Ela Eles Elas Eu Tu Nós E Ou Mas Quando Como Que Quem Não Sim Também Além Assim É Foi Ao À Segundo Após`,
  },
  nl: {
    always: `${titles} dhr mevr mw mej dr drs ir ing mr prof ds Jhr Gebr bijv d.w.z dwz d.i o.a m.a.w i.p.v t.a.v t.o.v m.b.t
      i.v.m n.a.v t.b.v t.g.v m.i.v m.n m.m.v i.h.b i.c.m z.g zgn z.n c.q resp vgl ong incl excl nl`,
    numbers: `nr nrs blz p pp art afb fig hfst hst par tab tel vol dl no jan feb mrt apr jun jul aug sep sept okt nov dec`,
    ends: 'v.Chr n.Chr e.d e.a a.u.b',
    starters: `De Het Een Dit Dat Deze Die Hij Zij Ze Wij We Ik Je Jij Jullie U In Op Aan Bij Met Van Voor Na Naar Om Als Toen
      Maar En Of Dus Ook Er Daar Hier Hoe Wat Wie Waar Waarom Volgens Door Over Uit Zijn Haar Hun Niet`,
  },
  cs: {
    always: `${titles} tzv tj tzn např resp popř příp vč cca MUDr MVDr JUDr PhDr RNDr PaedDr ThDr Ing Mgr MgA Bc Doc prof doc
      akad arch sv gen plk por kpt npor mjr ul nám srov odb angl něm lat fr řec pol zn`,
    numbers: 'č čl obr odst par s str tab kap roč tel r',
    ends: 'n.l l.p př.n.l n.m t.r s.r.o a.s o.p.s',
    starters: `V Ve Na Za Do Od Po Pro Při S Se Z Ze K Ke O U A Ale I To Ten Ta Ti Tato Tento Toto Je Byl Byla Bylo Jsou On
      Ona Oni My Já Když Pokud Podle Proto Jak Kde Kdo Co Tak Také`,
    ordinals: 'dates',
  },
  pl: {
    always: `${titles} tzn tzw np m.in mgr inż hab lek ks bp abp św ul al pl os gen płk ppłk mjr kpt por dyr red śp ang niem łac
      ros fr ok pt tj m.st ww ds`,
    numbers: 'nr s str art ust pkt poz r rys tab t tom rozdz zob tel godz',
    ends: 'n.e p.n.e n.p.m i.in',
    starters: `W We Na Za Do Od Po Dla Przy Z Ze O U A Ale I To Ten Ta Te Jest Był Była Było Są On Ona Oni My Ja Gdy Kiedy Jeśli
      Według Jak Gdzie Kto Co Tak Nie`,
    ordinals: 'dates',
  },
  ru: {
    always: `т.е т.н т.к ул пр пер просп бул д кв корп стр им св акад проф доц гр гос тов см ср напр англ нем лат греч фр рус букв
      ок обл пос дер оз ген полк кап лейт мл зам зав`,
    numbers: 'гл рис табл с п пп ст ч т тт разд прил тел',
    ends: 'т.д т.п н.э и.о',
    unlessCounted: 'г',
    starters: `В Во На За До От По Для При С Со Из К У О А Но И Это Этот Эта Эти Он Она Оно Они Мы Вы Я Ты Когда Если Как Где Кто
      Что Так Не Также Поэтому`,
  },
  tr: {
    always: `${titles} Doç Yrd Av Op Uzm Alb Yzb Tğm Gen Org Korg Öğr Arş Gör Müh Sn Hz bkz örn çev krş M.Ö M.S T.C Ltd`,
    numbers: 's sf sh md mad fık c cilt b bs tel No',
    starters: `Bu Şu O Bir Ben Sen Biz Siz Onlar Ve Ama Fakat Ancak Eğer Çünkü Daha Sonra Önce Her Ne Nasıl Neden Kim Nerede Burada
      Orada İşte Evet Hayır Böyle Şimdi Artık`,
    ordinals: 'names',
  },
  sv: {
    always: `${titles} t.ex bl.a d.v.s dvs s.k prof ing fil kand tekn c:a resp inkl exkl jfr jmf m.a.o Hr fr S:t S:ta`,
    numbers: 'nr s sid kap fig tab art bd kl tel jan feb apr aug sept okt nov dec',
    ends: 'f.Kr e.Kr o.d m.m m.fl f.n f.d',
    starters: `Det Den De En Ett Jag Du Han Hon Vi Ni Detta Denna Dessa I På Med Till Från För Av Vid Efter Före Men Och Så Då När
      Om Som Här Där Nu Vad Vem Var Varför Hur Inte Också`,
  },
  da: {
    always: `f.eks fx bl.a dvs d.v.s s.k dr prof frk Hr hr Fr fr ing kgl skt sct jf inkl ekskl evt pga p.g.a mht m.h.t vedr nuv
      hhv m.a.o cand mag ${titles}`,
    numbers:
      'nr s side kap fig tab art stk pkt kl tlf bd jan feb mar apr jun jul aug sep sept okt nov dec',
    ends: 'f.Kr e.Kr o.l m.m m.v',
    starters: `Det Den De En Et Jeg Du Han Hun Vi I Dette Denne Disse På Med Til Fra For Af Ved Efter Før Men Og Så Da Når Hvis
      Som Om Her Der Nu Hvad Hvem Hvor Hvorfor Hvordan Ikke Også`,
    ordinals: 'dates',
  },
  nb: norwegian,
  nn: norwegian,
  no: norwegian,
  fi: {
    always: 'esim ts ns ks vrt tri prof dos toht maist synt alk ent huom dr',
    numbers: 's nro no kpl kuv taul n v puh',
    ends: 'e.Kr j.Kr',
    starters: `Se Ne Tämä Nämä Hän He Minä Sinä Me Te Mutta Ja Jos Kun Että Niin Myös Siellä Täällä Nyt Sitten Mikä Kuka Missä
      Miksi Miten Ei`,
    ordinals: 'dates',
  },
  is: {
    always: 't.d þ.e m.a s.s dr próf sr hr frú sbr skv u.þ.b',
    numbers: 'nr bls gr kl',
    ends: 'f.Kr e.Kr o.fl o.s.frv',
    starters:
      'Það Sá Sú Hann Hún Þeir Þær Þau Ég Þú Við Í Á Með Til Frá En Og Svo Þegar Ef Hér Þar Nú Hvað Hver',
    ordinals: 'dates',
  },
  hu: {
    always: 'pl dr ifj id özv prof ún kb ill ld Szt gr br',
    numbers: 'sz old u út fsz évf tel',
    ends: 'Kr.e Kr.u i.e i.sz',
    starters: `A Az Egy Ez Ezek Azok Ő Ők Én Te Mi Ti És De Ha Mert Hogy Amikor Ami Aki Itt Ott Most Nem Is Meg Már Még`,
    ordinals: 'dates',
  },
  el: {
    always: 'κ κα κκ π.χ δηλ βλ πρβλ λ.χ καθ δρ αγ',
    numbers: 'αρ αριθ σελ άρθρ παρ κεφ εικ πίν τηλ',
    ends: 'π.Χ μ.Χ π.μ μ.μ',
    starters: `Ο Η Το Οι Τα Του Της Των Στο Στη Στην Στον Στις Στους Με Για Από Σε Αυτός Αυτή Αυτό Αυτά Αν Όταν Όπως Που Πώς Τι Και
      Αλλά Όμως Δεν Είναι Θα Ένα Μια Ένας`,
  },
};
