"""The words that may stand around an answer and change nothing about it, in the languages of courses.

A word that is not listed is never dropped: negations, alternatives, conditions and doubts must not be.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import combining, normalize

HARMLESS = """
the a an final my our your answer answers ans result results value values gradient gradients derivative solution
output it its s that this is are be equals equal exactly precisely so thus hence therefore also which gives give
giving yields yield get gets got have has find found obtain obtained i we you think believe about
approximately approx around roughly circa ca rounded rounding up down to digits digit
decimals decimal dec places place significant sig figs fig figures figure f d p sf dp unit units exact full point
points pts pt mark marks see notes note page above below line step chain rule product quotient power sum of in on at
with respect wrt for from by because since using via due as matrix vector array list row column shape entries entry
rows columns numbers float done checked calculator computed calculated calculation forward backward pass local
upstream downstream total partial definition formula symmetry linearity table lecture book slide slides script
python numpy torch pytorch autograd notebook inactive active dead saturated
masked neuron layer simplification simplified plugging substituting inserting hand again
multiply multiplied add added here now then finally parameter containing all both terms term inner outer function
factor right left correct check ok okay q e qed each

die der das den dem des ein eine mein meine unser unsere ergebnis antwort lösung wert werte ableitung gradienten ist
sind beträgt lautet daher somit damit folglich ergibt sich es man wir ich erhalte erhalten bekomme bekommen komme
denke glaube ungefähr ungefaehr etwa rund gerundet auf stellen stelle
nachkommastellen dezimalstellen signifikante ziffern punkte punkt genau exakt einheiten einheit weil wegen nach aus
laut gemäß mit durch da denn kettenregel produktregel quotientenregel potenzregel summenregel regel siehe oben unten
skript vorlesung blatt seite schritt zeile zeilen rechnung rechner einsetzen vektor spalten zahl von für bezüglich
zu im am gilt insgesamt hier nun dann schließlich fertig also und

la le les l un une ma mon notre réponse résultat valeur dérivée est sont vaut donne égale égal donc ainsi alors c ce
cela on nous je trouve trouvons obtient obtiens obtenons pense crois environ peu près arrondi
arrondie au aux centième millième chiffres significatifs décimales décimale car puisque parce que qu après par selon
règle de chaîne du produit voir cours ligne étape exactement soit finalement enfin unités dans avec pour rapport

el los las una mi nuestra respuesta resultado valor derivada gradiente solución es son vale igual entonces así lo
tanto luego se obtiene obtengo obtenemos creo pienso aproximadamente aprox cerca
redondeado redondeada cifras significativas decimales porque ya según regla cadena producto cociente ver página
exactamente unidades puntos del al con respecto por da

il gli mia risposta risultato valore derivata soluzione è sono dà uguale quindi dunque allora perciò si ottiene
ottengo otteniamo credo penso arrotondato arrotondata cifre significative decimali perché poiché
secondo regola della catena prodotto quoziente per vedi pagina esattamente unità punti

o os as um uma minha resposta solução são dá então assim portanto logo obtém obtemos obtenho acho
aproximadamente arredondado arredondada casas decimais algarismos significativos pois segundo pela
regra cadeia produto quociente exatamente unidades pontos

het een mijn ons antwoord resultaat waarde afgeleide gradiënt oplossing zijn geeft dus daarom ik krijg krijgen vind
denk ongeveer afgerond op decimalen cijfers omdat want volgens kettingregel productregel
quotiëntregel zie pagina boven precies eenheden punten

odpowiedź wynik wartość pochodna rozwiązanie to jest są wynosi równa się równy daje więc zatem czyli stąd
otrzymujemy otrzymuję myślę sądzę około w przybliżeniu przybliżeniu zaokrąglone
zaokrąglony zaokrągleniu do po cyfr znaczących miejsc przecinku ponieważ bo z według reguły reguła łańcuchowej
łańcuchowa iloczynu ilorazu strona dokładnie jednostek punktów moja moje nasza

ответ результат значение производная градиент решение это равен равна равно есть получаем получаю получается думаю
примерно около приблизительно округлено округленно до знаков цифр после запятой потому что так как
по правилу цепочки цепному правило произведения частного см страница точно итак значит следовательно отсюда мой наш
единиц баллов

svar svaret är resultatet ungefär avrundat cirka därför kedjeregeln eftersom enligt vi jag får blir derivatan värdet
er omtrent afrundet avrundet fordi odpověď výsledek hodnota je jsou přibližně asi zaokrouhleno derivace protože
podle řetízkového pravidla tedy cevap sonuç yaklaşık çünkü zincir kuralı türev değeri vastaus tulos noin koska
ketjusääntö
"""
REASONS = """
because by since using via due from weil wegen laut gemäß durch denn car puisque parce par selon porque por según
perché poiché perche pois pela pelo omdat want volgens ponieważ bo według потому eftersom fordi protože podle çünkü
因为 由 根据
"""  # after which values may stand: `0.32 because s = 4`
HEDGES = """
maybe perhaps probably possibly guess guessing hope suppose unsure vielleicht wahrscheinlich vermutlich eventuell
geraten möglicherweise probablement quizás quizá acaso forse probabilmente talvez provavelmente misschien
waarschijnlijk może chyba prawdopodobnie наверное возможно kanske förmodligen måske kanskje možná belki ehkä
"""  # an answer beside one of these is a guess
COUNTED = """
digits digit decimals decimal dec places place significant sig figs fig figures s sf d dp points point pts pt p
marks punkte punkt stellen stelle nachkommastellen dezimalstellen signifikante ziffern chiffres décimales cifras
decimales cifre decimali casas algarismos decimalen cijfers cyfr miejsc знаков цифр баллов entries entry rows
columns numbers 位
"""  # before which a number may stand
NUMBERED = """
see siehe voir ver vedi zie см page step line slide lecture table float note notes seite schritt zeile blatt página
pagina strona
"""
OWNED = "of von di van de du del z от"  # before an answer these make it something else
CONDITIONS = "if for when where wenn falls für si pour quand se quando para als voor jeśli gdy dla если при"
OTHERWISE = "otherwise else sonst sinon autrement altrimenti anders inaczej иначе"
DERIVATIVES = """
gradient gradients grad derivative ableitung derivee gradiente derivada derivata afgeleide pochodna pochodnej
производная градиент derivatan derivace turev gradientti differential partial partielle parcial
parziale cząstkowa частная parciell частинна
"""  # in labels
ROLES = """
nach wrt of by to with po di van von de du del da do respect respecto rispetto rapport relacao em naar
wzgledem po по a à
med avseende av af til hensyn på szerint gore
"""  # of names in labels: `the derivative of L with respect to w`
CHARACTERS = re.compile(  # words of languages that have no spaces
    "(?:答案|结果|结论|是|为|等于|大约|约|因为|由|根据|链式法则|乘积法则|所以|因此|故|即|得到|得|我们|我|认为|觉得|梯度|偏导数|导数|值|的"
    "|四舍五入|保留|位|小数|有效数字|最终|最后|解|答|答え|は|です|約|結果|よって|連鎖律|より|微分|勾配|値|の|답은|답|입니다|약|결과는|결과)+"
)
HEADINGS = """
question exercise problem task part number assignment item aufgabe frage übung übungsaufgabe teilaufgabe teil exercice
problème ejercicio pregunta problema tarea esercizio domanda quesito exercício questão opgave oefening vraag opdracht
zadanie zadania pytanie pytania ćwiczenie ćwiczenia задача задачи задание задания вопрос вопроса упражнение упражнения
пример příklad úloha otázka cvičení uppgift övning fråga
oppgave øvelse spørgsmål spørsmål tehtävä harjoitus kysymys soal latihan
bài câu άσκηση ερώτηση ερώτημα versuch experiment experimento
esperimento प्रश्न سؤال السؤال завдання exercici exercițiul soru alıştırma feladat kérdés questions question exercises
问题 問題 問 问 题目 题 習題 习题 练习 演習 設問 문제 연습 질문 ex exo ejer es aufg q
"""  # words for a question of a sheet
LEADS = """
answer answers solution solutions result results antwort antworten lösung lösungen ergebnis réponse réponses
solución respuesta respuestas risposta risposte soluzione resposta respostas solução antwoord antwoorden oplossing
odpowiedź rozwiązanie ответ решение corrigé resolução svar lösning løsning
odpověď řešení zu 解答 答案 答 답 cevap çözüm vastaus ratkaisu
"""  # what may stand before the number of a question
OPENERS = """
so thus hence therefore then finally now also and forward backward pass step passo in avanti indietro avant
arrière adelante atrás vorwärts rückwärts daher somit damit ist
folglich dann nun schließlich donc ainsi alors puis enfin entonces luego así quindi dunque allora então assim logo
portanto dus więc zatem stąd итак значит тогда отсюда следовательно получаем tedy dakle deci så dermed
on obtient obtenons trouve por lo tanto se obtiene si ottiene da cui
"""  # what may stand before a label
TOS = """
to for of auf zu zur à a al alla op do на к till til k in der die das la l de del dell du da per para aan voor zum my
the question
"""
MINUS = ("minus", "moins", "meno", "menos", "min", "минус")


@lru_cache(2**12)
def folded_word(word: str) -> str:
    """Return a word without case and accents."""
    return "".join(c for c in normalize("NFD", word.casefold()) if not combining(c))


def words_of(text: str) -> frozenset[str]:
    return frozenset(map(folded_word, text.split()))


WORDS, REASON, COUNT, NUMBER, HEDGE = map(words_of, (HARMLESS, REASONS, COUNTED, NUMBERED, HEDGES))
HEDGING = re.compile(
    r"也许|可能|大概|たぶん|多分|아마|\b(?:not sure|peut[- ]être|tal vez|nicht sicher|pas sûr)\b", re.IGNORECASE
)
WITH_RESPECT = frozenset(("nach", "wrt", "respect", "rapport", "respecto", "rispetto", "naar", "wzgledem"))
CONDITION, ELSE, OF, DERIVED, ROLE = map(words_of, (CONDITIONS, OTHERWISE, OWNED, DERIVATIVES, ROLES))
HEADING, LEADING, TO = map(words_of, (HEADINGS, LEADS, TOS))
HEADS = "|".join(sorted({*HEADINGS.split(), *HEADING}, key=len, reverse=True)) + r"|no\.?|nr\.?|n[°º]|№"


def is_harmless(word: str) -> bool:
    """Whether a word changes nothing about the answer beside it."""
    plain = folded_word(word).strip("_")
    if not (word.isupper() or word[1:].islower() or len(word) == 1 or not word.isalpha() or CHARACTERS.fullmatch(word)):
        return False  # `mA`
    return plain in WORDS or CHARACTERS.fullmatch(word) is not None or plain.rstrip("0123456789") == "float"


def is_reason(word: str) -> bool:
    return folded_word(word) in REASON or word.startswith(("因为", "由", "根据"))


UNDEFINED = re.compile(
    r"(?:(?:it|the derivative|the gradient|this|es|die ableitung|la dérivée|la derivada|la derivata|a derivada)\s+)?"
    r"(?:(?:is|ist|est|es|è|é|jest|is)\s+)?"
    r"(?:undefined|not defined|does(?:\s+not|n'?t) exist|d\.?\s?n\.?\s?e\.?|not differentiable|no derivative|no limit"
    r"|existiert nicht|nicht definiert|undefiniert|nicht differenzierbar"
    r"|n'existe pas|pas définie?"
    r"|non définie?|non dérivable|no existe|indefinid[oa]|no definid[oa]|no derivable|non esiste|non definit[oa]"
    r"|não existe|bestaat niet|niet gedefinieerd|ongedefinieerd"
    r"|nie istnieje|nieokreślon[ay]|не существует|не определен[ао]?"
    r"|не існує|δεν υπάρχει"
    r"|existerar inte|ej definierad|odefinierad[te]?|eksisterer ikke|ikke defineret|ikke definert|udefineret|neexistuje"
    r"|není definován[ao]?|tanımsız(?:dır)?|mevcut değil|ei ole olemassa|ei määritelty|nem létezik|не существует"
    r"|недифференцируема?|не дифференцируема?|nie jest określona|nie jest różniczkowalna|not derivable|undef"
    r"|不存在|无定义|未定义|不可导|不可微|定義されない|存在しない|微分不可能|微分できない"
    r"|존재하지 않는다|존재하지 않음|미분 불가능)"
    r"(?:\s+(?:at|in|for|bei|für|en|para|à|a|w|в|在)?\s*[^\W\d]\w*\s*=\s*-?[\d.]+|\s+(?:here|there|hier|dort))?[.!]?",
    re.IGNORECASE,
)
INFINITE = re.compile(
    r"(?P<sign>[-+−]?)\s*(?:∞|\\infty|oo|inf(?:inity|inito|inie?)?|unendlich|oneindig|бесконечность|无穷)",
    re.IGNORECASE,
)


def says_undefined(text: str) -> bool:
    """Whether an answer says that there is no number, and nothing else."""
    return UNDEFINED.fullmatch(text.strip().strip("*`$\"'")) is not None
